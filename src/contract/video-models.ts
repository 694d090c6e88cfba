// The models of text-to-video and image-to-video, with their prices and limits (models.md). When the service changes its
// models, change this file.
import { entryOf, fieldOf, type JsonObject } from '../base/json.ts';
import {
  type Credits,
  defaultsNote,
  includes,
  lowestResolution,
  type ModelChoice,
  type PlanDefaults,
  type Plans,
  type Range,
  resolutionBreaches,
  spansText,
} from './models.ts';
import type { Rule, RuleBreach } from './rules.ts';

export interface VideoModel {
  /** Credits per second of output, by supported resolution. */
  readonly silent: Credits;
  /** The same with `audio: true`. `included`: the same price. `none`: no audio. */
  readonly audio: Credits | 'included' | 'none';
  /** Seconds of output. */
  readonly durations: readonly Range[];
}

const veoDurations = [4, 6, 8, 16, 24, 32, 40, 48, 56];

/** Models of text-to-video and image-to-video. */
export const videoModels: Readonly<Record<string, VideoModel>> = {
  'ltx-2.3': {
    silent: { '480p': 24, '720p': 48, '1080p': 72 },
    audio: 'included',
    durations: [[1, 10], 15, 20, 25, 30],
  },
  'wan-2.2': {
    silent: { '480p': 24, '720p': 48, '1080p': 72 },
    audio: 'none',
    durations: [[3, 10], 15],
  },
  'kling-2.6': { silent: { '720p': 36, '1080p': 72 }, audio: 'none', durations: [5, 10] },
  'kling-3.0': {
    silent: { '720p': 48, '1080p': 72, '4k': 240 },
    audio: { '720p': 48 + 24, '1080p': 72 + 24, '4k': 240 + 48 },
    durations: [[3, 15]],
  },
  'veo3.1-lite': {
    silent: { '720p': 48, '1080p': 72 },
    audio: { '720p': 48 + 24, '1080p': 72 + 24 },
    durations: veoDurations,
  },
  'veo3.1': {
    silent: { '720p': 96, '1080p': 120 },
    audio: { '720p': 96 + 24, '1080p': 120 + 24 },
    durations: veoDurations,
  },
  'seedance-1.5': {
    silent: { '480p': 30, '720p': 60, '1080p': 90 },
    audio: { '480p': 30 * 2, '720p': 60 * 2, '1080p': 90 * 2 },
    durations: [[4, 12]],
  },
  'seedance-2.0-mini': {
    silent: { '480p': 96, '720p': 192 },
    audio: 'included',
    durations: [[4, 15]],
  },
  'seedance-2.0': {
    silent: { '480p': 144, '720p': 288 },
    audio: 'included',
    durations: [[4, 15]],
  },
  'seedance-2.5': {
    silent: { '480p': 288, '720p': 576 },
    audio: 'included',
    durations: [[4, 30]],
  },
  'sora-2': {
    silent: { '720p': 120 },
    audio: 'included',
    durations: [4, 8, 12, 24, 36, 48, 60],
  },
};

interface Alias {
  readonly model: string;
  /** The name stands for the model with `audio: true`. */
  readonly audio?: true;
}

/** Names that stand for another model. */
export const videoAliases: Readonly<Record<string, Alias>> = {
  'kling-2.5': { model: 'kling-2.6' },
  'kling-2.5-audio': { model: 'kling-2.6', audio: true },
  'veo3.1-audio': { model: 'veo3.1', audio: true },
};

interface UnpricedModel {
  /** Values that the model is known to refuse. */
  readonly withoutSeconds?: readonly number[];
  readonly withoutResolutions?: readonly string[];
}

/** Models that the service accepts, without published prices. */
const unpricedVideoModels: Readonly<Record<string, UnpricedModel>> = {
  'minimax-h3': { withoutSeconds: [60], withoutResolutions: ['4k'] },
  'ltx-2': {},
  'kling-1.6': {},
  seedance: {},
};

const defaults: PlanDefaults = {
  free: { model: 'ltx-2.3', resolution: '480p' },
  paid: { model: 'kling-3.0', resolution: '720p' },
};

const plansOf = ({ silent }: VideoModel): Plans =>
  Object.hasOwn(silent, lowestResolution.video) ? 'all' : 'paid';

export const videoModelChoice: ModelChoice = {
  offered: Object.entries(videoModels).map(([name, model]) => ({
    name,
    resolutions: Object.keys(model.silent),
    credits: model.silent,
    audio: model.audio,
    seconds: model.durations,
    plans: plansOf(model),
  })),
  plans: plansByName(),
  unpublished: Object.keys(unpricedVideoModels),
  defaults,
  notes: [
    'The columns with a resolution are credits for each second of output; audio is what audio: true adds to them.',
    defaultsNote(defaults),
    ...Object.entries(videoAliases).map(
      ([name, { model, audio }]) => `${name} means ${model}${audio ? ' with audio: true' : ''}.`,
    ),
    `The service also accepts ${Object.keys(unpricedVideoModels).join(', ')}; their prices and limits are not published.`,
    ...Object.entries(unpricedVideoModels).flatMap(
      ([name, { withoutSeconds = [], withoutResolutions = [] }]) => {
        const refused = [
          ...withoutSeconds.map((seconds) => `${seconds} seconds`),
          ...withoutResolutions,
        ];
        return refused.length === 0 ? [] : [`${name} does not support ${refused.join(' or ')}.`];
      },
    ),
  ],
};

function plansByName(): Readonly<Record<string, Plans>> {
  const plans = new Map(Object.entries(videoModels).map(([name, model]) => [name, plansOf(model)]));
  for (const [alias, { model }] of Object.entries(videoAliases))
    plans.set(alias, plans.get(model) ?? 'all');
  return Object.fromEntries(plans);
}

export const fitsVideoModel: Rule = {
  says: 'The model must support the length, the resolution and the sound.',
  check: videoModelBreaches,
};

function videoModelBreaches(body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  const alias = entryOf(videoAliases, name);
  const model = entryOf(videoModels, alias?.model ?? name);
  const resolution = fieldOf(body, 'resolution');
  const end = fieldOf(body, 'end_seconds');
  const breaches: RuleBreach[] = [];
  if (model === undefined) {
    const { withoutSeconds = [], withoutResolutions = [] } =
      entryOf(unpricedVideoModels, name) ?? {};
    if (withoutResolutions.some((refused) => refused === resolution))
      breaches.push({ field: 'resolution', message: `${name} does not support ${resolution}` });
    if (withoutSeconds.some((refused) => refused === end))
      breaches.push({ field: 'end_seconds', message: `${name} does not support ${end} seconds` });
    return breaches;
  }
  breaches.push(...resolutionBreaches(`${name}`, resolution, Object.keys(model.silent)));
  if (typeof end === 'number' && !includes(model.durations, end))
    breaches.push({
      field: 'end_seconds',
      message: `${name} supports ${spansText(model.durations)} seconds, not ${end}`,
    });
  if (model.audio === 'none' && alias?.audio !== true && fieldOf(body, 'audio') === true)
    breaches.push({
      field: 'audio',
      message: `${name} does not support audio: remove audio:, or choose another model`,
    });
  return breaches;
}
