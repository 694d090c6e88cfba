// lip-sync: the lips in a clip follow an audio file (facts.md, Body fields of every creation endpoint).
import {
  audioAsset,
  choice,
  clipSize,
  clipSource,
  endSeconds,
  group,
  number,
  startSeconds,
} from '../fields.ts';
import { fiveSeconds } from '../price-rule.ts';
import { endsAfterStart, hasFramesAtMost, sourceIsGiven } from '../rules.ts';
import { clipPath, eachFile, partOfClip, voiceInput } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const lipSync = listedTool({
  name: 'lip-sync',
  title: 'Sync lips in a clip to a voice',
  record: 'video',
  type: 'LIP_SYNC',
  medianSeconds: 229,
  description: 'Moves the lips in a clip to match an audio file, for at most 120,000 frames.',
  required: ['assets', 'end_seconds', 'start_seconds'],
  fields: {
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    ...clipSize,
    max_fps_limit: number('Upper bound of the frame rate, and therefore of the cost.', {
      minimum: 1,
    }),
    assets: group('The clip and the voice.', ['audio_file_path', 'video_source'], {
      ...clipSource,
      audio_file_path: { ...audioAsset, description: 'The speech that the lips follow.' },
    }),
    style: group('The quality of the lip sync.', [], {
      generation_mode: choice(
        'The quality: 1 credit per frame, or 2 with `pro`, which free plans do not offer.',
        'lite',
        'standard',
        'pro',
      ),
    }),
  },
  rules: [
    endsAfterStart,
    hasFramesAtMost(120_000),
    sourceIsGiven('video_source', 'video_file_path'),
  ],
  paidOnly: { field: 'style.generation_mode', value: 'pro', instead: 'lite and standard' },
  price: {
    kind: 'frames',
    credits: { field: 'style.generation_mode', credits: { lite: 1, standard: 1, pro: 2 } },
    fps: { field: 'max_fps_limit', effect: 'caps' },
  },
  priceExamples: [
    fiveSeconds(', standard', { style: { generation_mode: 'standard' } }),
    fiveSeconds(', pro', { style: { generation_mode: 'pro' } }),
    fiveSeconds(' with max_fps_limit 12', {
      style: { generation_mode: 'standard' },
      max_fps_limit: 12,
    }),
  ],
  examples: [
    {
      start_seconds: 0,
      end_seconds: 2,
      max_fps_limit: 24,
      assets: {
        video_source: 'file',
        video_file_path: 'asset:video',
        audio_file_path: 'asset:audio',
      },
      style: { generation_mode: 'lite' },
    },
  ],
  starter: eachFile(
    'video',
    `${partOfClip}
style: { generation_mode: lite } # or standard, pro
assets:
  video_source: file
  video_file_path: ${clipPath}
  audio_file_path: \${{ steps.voice.file_path }}`,
    voiceInput,
  ),
});
