// ai-video-editor: edits a clip as a prompt says (facts.md, Body fields of every creation endpoint).

import { endSeconds, startSeconds, videoAsset } from '../tool/fields.ts';
import { fitsVideoEditModel } from '../tool/model-rules.ts';
import { fiveSeconds } from '../tool/price-example.ts';
import { choice, group, listedTool, openList, text } from '../tool/request-schema.ts';
import { endsAfterStart } from '../tool/rules.ts';

export const aiVideoEditor = listedTool({
  name: 'ai-video-editor',
  title: 'Edit a clip with a prompt',
  record: 'video',
  type: 'VIDEO_EDITOR',
  medianSeconds: 85,
  description:
    'Edits a clip as the prompt says. Charged per rendered frame; the rate is not published.',
  required: ['assets', 'end_seconds', 'style'],
  fields: {
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    model: openList('The model that edits the clip.', 'default', 'gemini-omni', 'ltx-2.3'),
    resolution: choice('Output resolution.', '480p', '720p', '1080p'),
    assets: group('The clip.', ['video_file_path'], {
      video_file_path: { ...videoAsset, description: 'The clip to edit.' },
    }),
    style: group('The edit.', ['prompt'], {
      prompt: text('A description of the edit.', { minLength: 1 }),
    }),
  },
  rules: [endsAfterStart, fitsVideoEditModel],
  price: {
    kind: 'unpublished',
    why: 'it is charged per rendered frame, and the rate is not published',
  },
  priceExamples: [fiveSeconds(' of ltx-2.3', { model: 'ltx-2.3' })],
  examples: [
    {
      end_seconds: 3,
      model: 'ltx-2.3',
      resolution: '480p',
      assets: { video_file_path: 'asset:video' },
      style: { prompt: 'make it snow' },
    },
  ],
});
