// ai-video-editor: edits a clip as a prompt says (facts.md, Body fields of every creation endpoint).
import { fieldOf, type JsonObject } from '../../base/json.ts';
import { choice, endSeconds, group, openList, startSeconds, text, videoAsset } from '../fields.ts';
import {
  defaultsNote,
  includes,
  type Model,
  type PlanDefaults,
  resolutionBreaches,
  spansText,
} from '../models.ts';
import { fiveSeconds } from '../price-rule.ts';
import { endsAfterStart, type Rule, type RuleBreach, secondsIn } from '../rules.ts';
import { clipPath, eachFile, partOfClip } from '../starter.ts';
import { listedTool } from '../tool.ts';

/** models.md. The prices of these models are not published. */
const offered: readonly Model[] = [
  {
    name: 'gemini-omni',
    resolutions: ['720p'],
    credits: {},
    seconds: [[3, 10]],
    plans: 'paid',
  },
  {
    name: 'ltx-2.3',
    resolutions: ['480p', '720p', '1080p'],
    credits: {},
    seconds: [[0.5, 45]],
    plans: 'all',
  },
];

const defaults: PlanDefaults = { free: { model: 'ltx-2.3' }, paid: { model: 'gemini-omni' } };

const fitsVideoEditModel: Rule = {
  says: 'The model must support the length of the clip and the resolution.',
  check: videoEditModelBreaches,
};

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
  models: {
    offered,
    plans: Object.fromEntries(offered.map(({ name, plans }) => [name, plans])),
    unpublished: [],
    defaults,
    notes: [defaultsNote(defaults)],
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
  starter: eachFile(
    'video',
    `${partOfClip}
model: ltx-2.3
resolution: 480p
style: { prompt: make it snow }
assets: { video_file_path: "${clipPath}" }`,
  ),
});

function videoEditModelBreaches(body: JsonObject): readonly RuleBreach[] {
  const model = offered.find(({ name }) => name === fieldOf(body, 'model'));
  if (model === undefined) return [];
  const { name, resolutions, seconds = [] } = model;
  const asked = secondsIn(body);
  const breaches = [...resolutionBreaches(name, fieldOf(body, 'resolution'), resolutions)];
  if (asked !== undefined && asked > 0 && !includes(seconds, asked))
    breaches.push({
      field: 'end_seconds',
      message: `${name} edits clips of ${spansText(seconds)} seconds, not ${asked}`,
    });
  return breaches;
}
