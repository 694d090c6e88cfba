// The models of the service, with their prices and capabilities. Edit only this file when the
// service changes its models. Formulas are in price-list.ts, checks of a request body in
// kinds/model-rules.ts.
import { fieldOf, type JsonObject } from '../base/json.ts';
import type { Tier } from './tier.ts';

type Credits = Readonly<Record<string, number>>;

/** One value, or all values from the first to the last. */
export type Range = number | readonly [first: number, last: number];

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
export const unpricedVideoModels: Readonly<Record<string, UnpricedModel>> = {
  'minimax-h3': { withoutSeconds: [60], withoutResolutions: ['4k'] },
  'ltx-2': {},
  'kling-1.6': {},
  seedance: {},
};

/** Models of ai-video-editor. Their prices are not published. */
export const videoEditModels: Readonly<
  Record<string, { readonly seconds: readonly Range[]; readonly resolutions: readonly string[] }>
> = {
  'gemini-omni': { seconds: [[3, 10]], resolutions: ['720p'] },
  'ltx-2.3': { seconds: [[0.5, 45]], resolutions: ['480p', '720p', '1080p'] },
};

export interface ImageModel {
  /** How many images one request generates; undefined: the model only edits. */
  readonly counts?: readonly Range[];
  /** How many images one edit takes; undefined: the model only generates. */
  readonly inputs?: number;
  /** The lowest first. */
  readonly resolutions: readonly [string, ...string[]];
  /** For one image at the lowest resolution; the prices of higher resolutions are not published. */
  readonly credits: number;
  readonly plans: 'all' | 'paid';
}

const upTo4: readonly Range[] = [[1, 4]];
const squares: readonly Range[] = [1, 4, 9, 16];

/** Models of ai-image-generator and ai-image-editor. */
export const imageModels: Readonly<Record<string, ImageModel>> = {
  'flux-schnell': {
    counts: upTo4,
    resolutions: ['640px', '1k', '2k'],
    credits: 5,
    plans: 'all',
  },
  'flux-2-klein': {
    counts: [1],
    inputs: 1 + 5,
    resolutions: ['640px', '1k', '2k'],
    credits: 5,
    plans: 'all',
  },
  'z-image-turbo': {
    counts: upTo4,
    resolutions: ['640px', '1k', '2k'],
    credits: 5,
    plans: 'all',
  },
  'seedream-v4': {
    counts: upTo4,
    inputs: 1 + 9,
    resolutions: ['640px', '1k', '2k', '4k'],
    credits: 40,
    plans: 'paid',
  },
  'seedream-v4.5': {
    inputs: 1 + 9,
    resolutions: ['640px', '1k', '2k', '4k'],
    credits: 50,
    plans: 'paid',
  },
  'seedream-v5-pro': {
    counts: upTo4,
    inputs: 1 + 9,
    resolutions: ['640px', '1k', '2k'],
    credits: 75,
    plans: 'paid',
  },
  'nano-banana': {
    counts: upTo4,
    inputs: 1 + 9,
    resolutions: ['640px', '1k'],
    credits: 50,
    plans: 'paid',
  },
  'nano-banana-2-lite': {
    counts: upTo4,
    inputs: 1 + 9,
    resolutions: ['640px', '1k'],
    credits: 50,
    plans: 'paid',
  },
  'nano-banana-2': {
    counts: squares,
    inputs: 1 + 9,
    resolutions: ['640px', '1k', '2k', '4k'],
    credits: 100,
    plans: 'paid',
  },
  'nano-banana-pro': {
    counts: squares,
    inputs: 1 + 9,
    resolutions: ['1k', '2k', '4k'],
    credits: 150,
    plans: 'paid',
  },
  'gpt-image-2': {
    counts: upTo4,
    inputs: 1 + 9,
    resolutions: ['640px', '1k', '2k', '4k'],
    credits: 50,
    plans: 'paid',
  },
  'qwen-edit': {
    inputs: 1 + 2,
    resolutions: ['640px', '1k', '2k'],
    credits: 10,
    plans: 'all',
  },
};

/** The lowest resolutions that tools have: the only ones of a free plan. */
export const lowestVideo = '480p';
export const lowestImage = '640px';

export function entryOf<T>(table: Readonly<Record<string, T>>, key: unknown): T | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;
}

export function includes(spans: readonly Range[], value: number): boolean {
  return spans.some((span) =>
    typeof span === 'number' ? span === value : value >= span[0] && value <= span[1],
  );
}

/** `3–10, 15`. */
export const spansText = (spans: readonly Range[]): string =>
  spans.map((span) => (typeof span === 'number' ? `${span}` : `${span[0]}–${span[1]}`)).join(', ');

/** Fills in the plan's default model and resolution. An unknown plan counts as paid: it costs more. */
export function withPlanDefaults(
  tool: string,
  body: JsonObject,
  tier: Tier | undefined,
): JsonObject {
  const free = tier === 'free';
  const model = fieldOf(body, 'model') ?? 'default';
  switch (tool) {
    case 'text-to-video':
    case 'image-to-video':
      return {
        ...body,
        model: model === 'default' ? (free ? 'ltx-2.3' : 'kling-3.0') : model,
        resolution: fieldOf(body, 'resolution') ?? (free ? '480p' : '720p'),
      };
    case 'ai-video-editor':
      return { ...body, model: model === 'default' ? (free ? 'ltx-2.3' : 'gemini-omni') : model };
    case 'ai-image-generator':
    case 'ai-image-editor':
      return free ? { ...body, resolution: fieldOf(body, 'resolution') ?? lowestImage } : body;
    default:
      return body;
  }
}
