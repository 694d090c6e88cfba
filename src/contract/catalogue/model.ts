// The models that a tool can use, with what each supports and costs.
import {
  imageModels,
  lowestVideo,
  type Range,
  unpricedVideoModels,
  type VideoModel,
  videoAliases,
  videoEditModels,
  videoModels,
  withPlanDefaults,
} from '../api/models.ts';
import type { Tier } from '../api/tier.ts';

export interface Model {
  readonly name: string;
  readonly resolutions: readonly string[];
  /**
   * Credits by resolution: per second of video, or per image. Resolutions without a published price
   * are missing.
   */
  readonly credits: Readonly<Record<string, number>>;
  /** Credits per second with `audio: true`. */
  readonly audio?: VideoModel['audio'];
  /** The lengths of a video, in seconds. */
  readonly seconds?: readonly Range[];
  /** How many images one request may make. */
  readonly images?: readonly Range[];
  /** The most images that one request edits together. */
  readonly inputs?: number;
  /** The plans that offer the model. */
  readonly plans: 'all' | 'paid';
}

/** The models of a tool; empty if it has no choice of models, or none with published facts. */
export function modelsOf(tool: string): readonly Model[] {
  switch (tool) {
    case 'text-to-video':
    case 'image-to-video':
      return Object.entries(videoModels).map(([name, { silent, audio, durations }]) => ({
        name,
        resolutions: Object.keys(silent),
        credits: silent,
        audio,
        seconds: durations,
        plans: Object.hasOwn(silent, lowestVideo) ? 'all' : 'paid',
      }));
    case 'ai-video-editor':
      return Object.entries(videoEditModels).map(([name, { seconds, resolutions }]) => ({
        name,
        resolutions,
        credits: {},
        seconds,
        plans: resolutions.includes(lowestVideo) ? 'all' : 'paid',
      }));
    case 'ai-image-generator':
    case 'ai-image-editor':
      return Object.entries(imageModels)
        .filter(([, model]) => (tool === 'ai-image-editor' ? model.inputs : model.counts))
        .map(([name, { resolutions, credits, counts, inputs, plans }]) => ({
          name,
          resolutions,
          credits: { [resolutions[0]]: credits },
          ...(tool === 'ai-image-editor' && inputs !== undefined ? { inputs } : {}),
          ...(tool === 'ai-image-generator' && counts !== undefined ? { images: counts } : {}),
          plans,
        }));
    default:
      return [];
  }
}

function defaultsOf(tool: string): string {
  const on = (tier: Tier): string => {
    const { model, resolution } = withPlanDefaults(tool, {}, tier);
    return resolution === undefined ? `${model}` : `${model} at ${resolution}`;
  };
  return `The default is ${on('pro')} on paid plans, and ${on('free')} on the free plan.`;
}

/** Sentences about other names of models, and about the default. */
export function modelNotesOf(tool: string): readonly string[] {
  switch (tool) {
    case 'text-to-video':
    case 'image-to-video':
      return [
        'The columns with a resolution are credits for each second of output; audio is what audio: true adds to them.',
        defaultsOf(tool),
        ...Object.entries(videoAliases).map(
          ([name, { model, audio }]) =>
            `${name} means ${model}${audio ? ' with audio: true' : ''}.`,
        ),
        `The service also accepts ${Object.keys(unpricedVideoModels).join(', ')}; their prices and limits are not published.`,
        ...Object.entries(unpricedVideoModels).flatMap(
          ([name, { withoutSeconds = [], withoutResolutions = [] }]) => {
            const refused = [
              ...withoutSeconds.map((seconds) => `${seconds} seconds`),
              ...withoutResolutions,
            ];
            return refused.length === 0
              ? []
              : [`${name} does not support ${refused.join(' or ')}.`];
          },
        ),
      ];
    case 'ai-video-editor':
      return [defaultsOf(tool)];
    case 'ai-image-generator':
    case 'ai-image-editor':
      return [
        'The service chooses the default model, and no price is published for it: set model.',
        'The credits are for one image at the model’s lowest resolution. Higher resolutions cost more; their prices are not published.',
      ];
    default:
      return [];
  }
}
