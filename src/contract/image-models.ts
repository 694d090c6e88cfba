// The models of ai-image-generator and ai-image-editor, with their prices and limits (models.md). When the service changes
// its models, change this file.
import {
  lowestResolution,
  type Model,
  type ModelChoice,
  type Plans,
  type Range,
} from './models.ts';

export interface ImageModel {
  /** How many images one request generates; undefined: the model only edits. */
  readonly counts?: readonly Range[];
  /** How many images one edit takes; undefined: the model only generates. */
  readonly inputs?: number;
  /** The lowest first. */
  readonly resolutions: readonly [string, ...string[]];
  /** For one image at the lowest resolution; the prices of higher resolutions are not published. */
  readonly credits: number;
  readonly plans: Plans;
}

const upTo4: readonly Range[] = [[1, 4]];
const squares: readonly Range[] = [1, 4, 9, 16];

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

/** The models that generate (`counts`) or edit (`inputs`). The other models are known, and the tool's rules refuse them. */
export const imageModelChoice = (
  role: 'counts' | 'inputs',
  unpublished: readonly string[] = [],
): ModelChoice => ({
  offered: Object.entries(imageModels)
    .filter(([, model]) => model[role] !== undefined)
    .map(([name, model]) => offeredModel(name, model, role)),
  plans: Object.fromEntries(Object.entries(imageModels).map(([name, { plans }]) => [name, plans])),
  unpublished,
  defaults: { free: { resolution: lowestResolution.image }, paid: {} },
  notes: [
    'The service chooses the default model, and no price is published for it: set model.',
    'The credits are for one image at the model’s lowest resolution. Higher resolutions cost more; their prices are not published.',
  ],
});

function offeredModel(
  name: string,
  { resolutions, credits, counts, inputs, plans }: ImageModel,
  role: 'counts' | 'inputs',
): Model {
  return {
    name,
    resolutions,
    credits: { [resolutions[0]]: credits },
    ...(role === 'inputs' && inputs !== undefined ? { inputs } : {}),
    ...(role === 'counts' && counts !== undefined ? { images: counts } : {}),
    plans,
  };
}
