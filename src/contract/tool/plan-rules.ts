// Checks that a subscription plan allows a request (models.md, Plans). The service answers 403 to
// the rest.
import {
  entryOf,
  imageModels,
  lowestImage,
  lowestVideo,
  videoAliases,
  videoEditModels,
  videoModels,
  withPlanDefaults,
} from '../api/models.ts';
import type { Tier } from '../api/tier.ts';
import { fieldOf, isObject, type Json, type JsonObject } from '../base/json.ts';
import { videoModelBreaches } from './model-rules.ts';
import type { RuleBreach, Tool } from './tool.ts';

/** The parts of a request that the plan does not offer. All paid plans offer the same. */
export function beyondPlan(tool: Tool, body: JsonObject, tier: Tier): readonly RuleBreach[] {
  if (tier !== 'free') return [];
  const lacks = (field: string, what: string, instead: string): readonly RuleBreach[] => [
    { field, message: `${what} is not available on the ${tier} plan, which has ${instead}` },
  ];
  const resolution = fieldOf(body, 'resolution');
  const lowest = lowestOf(tool);
  if (typeof resolution === 'string' && lowest !== undefined)
    if (resolution !== lowest && resolution !== 'auto')
      return lacks('resolution', `resolution ${resolution}`, `${lowest} only`);
  const model = fieldOf(body, 'model');
  if (isBeyond(tool.name, model))
    return lacks('model', `the model ${model}`, freeModels(tool.name));
  const paid = entryOf(paidValues, tool.name);
  if (paid === undefined || fieldOf(body, paid.field) !== paid.value) return [];
  return lacks(paid.field, `${paid.field.replace(/^style\./, '')} ${paid.value}`, paid.instead);
}

interface PaidValue {
  readonly field: string;
  readonly value: Json;
  /** What the free plan has. */
  readonly instead: string;
}

/** Values that only paid plans offer, by tool. */
const paidValues: Readonly<Record<string, PaidValue>> = {
  'ai-image-upscaler': { field: 'scale_factor', value: 4, instead: '2 only' },
  'lip-sync': { field: 'style.generation_mode', value: 'pro', instead: 'lite and standard' },
};

/** What the free plan has of a tool, if not everything: `resolution: 480p only`. */
export function freePlanOf(tool: Tool): readonly string[] {
  const lowest = lowestOf(tool);
  const paid = entryOf(paidValues, tool.name);
  const chooses = ['ai-video-editor', 'ai-image-generator', 'ai-image-editor'].includes(tool.name);
  return [
    ...(lowest === undefined ? [] : [`resolution: ${lowest} only`]),
    ...(chooses || isVideoGenerator(tool.name) ? [`model: ${freeModels(tool.name)}`] : []),
    ...(paid === undefined ? [] : [`${paid.field}: ${paid.instead}`]),
  ];
}

const isVideoGenerator = (tool: string): boolean =>
  tool === 'text-to-video' || tool === 'image-to-video';

/**
 * Why the service would refuse a request on a plan: the plan lacks something, or its default model
 * does not support the request. A missing field may only be unknown yet, so missing fields are not
 * reported.
 */
export function refusedOnPlan(tool: Tool, body: JsonObject, tier: Tier): readonly RuleBreach[] {
  const beyond = beyondPlan(tool, body, tier);
  if (beyond.length > 0) return beyond;
  return fitsPlanDefault(tool.name, body, withPlanDefaults(tool.name, body, tier));
}

function fitsPlanDefault(
  tool: string,
  body: JsonObject,
  completed: JsonObject,
): readonly RuleBreach[] {
  const model = fieldOf(completed, 'model');
  if (fieldOf(body, 'model') === model) return [];
  if (!isVideoGenerator(tool)) return [];
  return videoModelBreaches(completed).map(({ field, message }) => ({
    field,
    message: `${message} (${model} is the plan’s default model; set model: to choose another)`,
  }));
}

/** The lowest named resolution of a tool; undefined where it has none. */
function lowestOf({ request, record }: Tool): string | undefined {
  const { properties } = request;
  if (!isObject(properties) || properties['resolution'] === undefined) return undefined;
  return record === 'video' ? lowestVideo : lowestImage;
}

function isBeyond(tool: string, name: unknown): boolean {
  switch (tool) {
    case 'text-to-video':
    case 'image-to-video': {
      const model = entryOf(videoModels, entryOf(videoAliases, name)?.model ?? name);
      return model !== undefined && !Object.hasOwn(model.silent, lowestVideo);
    }
    case 'ai-video-editor': {
      const model = entryOf(videoEditModels, name);
      return model !== undefined && !model.resolutions.includes(lowestVideo);
    }
    case 'ai-image-generator':
    case 'ai-image-editor':
      return entryOf(imageModels, name)?.plans === 'paid';
    default:
      return false;
  }
}

function freeModels(tool: string): string {
  return modelNames(tool)
    .filter((name) => !isBeyond(tool, name))
    .join(', ');
}

function modelNames(tool: string): readonly string[] {
  switch (tool) {
    case 'ai-video-editor':
      return Object.keys(videoEditModels);
    case 'ai-image-generator':
      return Object.keys(imageModels).filter((name) => imageModels[name]?.counts !== undefined);
    case 'ai-image-editor':
      return Object.keys(imageModels).filter((name) => imageModels[name]?.inputs !== undefined);
    default:
      return Object.keys(videoModels);
  }
}
