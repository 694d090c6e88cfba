// audio-to-video: a video that follows an audio file (facts.md, Body fields of every creation endpoint).
import {
  audioAsset,
  choice,
  endSeconds,
  group,
  imageAsset,
  startSeconds,
  text,
} from '../fields.ts';
import { fiveSeconds } from '../price-rule.ts';
import { endsAfterStart } from '../rules.ts';
import { eachFile, soundPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const audioToVideo = listedTool({
  name: 'audio-to-video',
  title: 'Make a video from audio',
  record: 'video',
  type: 'AUDIO_TO_VIDEO',
  medianSeconds: 117,
  description: 'Makes a video that follows an audio file.',
  required: ['assets', 'end_seconds'],
  fields: {
    start_seconds: { ...startSeconds, description: 'Where the audio starts, in seconds.' },
    end_seconds: { ...endSeconds, description: 'Where the audio ends, in seconds.' },
    resolution: choice('Output resolution.', '480p', '720p', '1080p'),
    assets: group('The sound and the first picture.', ['audio_file_path'], {
      audio_file_path: { ...audioAsset, description: 'The sound of the video.' },
      image_file_path: { ...imageAsset, description: 'The picture that the video starts with.' },
    }),
    style: group('The look.', [], { prompt: text('A description of the video.') }),
  },
  rules: [endsAfterStart],
  price: {
    kind: 'seconds',
    table: { field: 'resolution', credits: { '480p': 24, '720p': 48, '1080p': 72 } },
  },
  priceExamples: ['480p', '720p', '1080p'].map((resolution) =>
    fiveSeconds(` at ${resolution}`, { resolution }),
  ),
  examples: [
    {
      end_seconds: 2,
      resolution: '480p',
      assets: { audio_file_path: 'asset:audio' },
      style: { prompt: 'waves on a beach' },
    },
    {
      start_seconds: 0,
      end_seconds: 2,
      resolution: '480p',
      assets: { audio_file_path: 'asset:audio', image_file_path: 'asset:image' },
    },
  ],
  starter: eachFile(
    'audio',
    `start_seconds: 0 # the part of the sound; a longer part costs more
end_seconds: 2
resolution: 480p
style: { prompt: waves on a beach at dawn }
assets: { audio_file_path: "${soundPath}" }`,
  ),
});
