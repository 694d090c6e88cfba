// Checks that a subscription plan allows a request (models.md, Plans). The service answers 403 to
// the rest.

import { entryOf, fieldOf, isObject, type JsonObject } from '../base/json.ts';
import type { Tier } from './api/tier.ts';
import { lowestResolution, type ModelChoice } from './models.ts';
import type { RuleBreach } from './rules.ts';
import { breachesOf, type Tool } from './tool.ts';

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
  const { models, paidOnly } = tool;
  const model = fieldOf(body, 'model');
  if (models !== undefined && entryOf(models.plans, model) === 'paid')
    return lacks('model', `the model ${model}`, freeModels(models));
  if (paidOnly === undefined || fieldOf(body, paidOnly.field) !== paidOnly.value) return [];
  const { field, value, instead } = paidOnly;
  return lacks(field, `${field.replace(/^style\./, '')} ${value}`, instead);
}

/** What the free plan has of a tool, if not everything: `resolution: 480p only`. */
export function freePlanOf(tool: Tool): readonly string[] {
  const lowest = lowestOf(tool);
  const { models, paidOnly } = tool;
  return [
    ...(lowest === undefined ? [] : [`resolution: ${lowest} only`]),
    ...(models === undefined ? [] : [`model: ${freeModels(models)}`]),
    ...(paidOnly === undefined ? [] : [`${paidOnly.field}: ${paidOnly.instead}`]),
  ];
}

/** Fills in the plan's default model and resolution. An unknown plan counts as paid: it costs more. */
export function withPlanDefaults(
  { models }: Tool,
  body: JsonObject,
  tier: Tier | undefined,
): JsonObject {
  const defaults = models?.defaults[tier === 'free' ? 'free' : 'paid'] ?? {};
  const asked = fieldOf(body, 'model') ?? 'default';
  const model = asked === 'default' ? defaults.model : asked;
  const resolution = fieldOf(body, 'resolution') ?? defaults.resolution;
  return {
    ...body,
    ...(defaults.model === undefined || model === undefined ? {} : { model }),
    ...(defaults.resolution === undefined || resolution === undefined ? {} : { resolution }),
  };
}

/**
 * Why the service would refuse a request on a plan: the plan lacks something, or its default model
 * does not support the request. A missing field may only be unknown yet, so missing fields are not
 * reported.
 */
export function refusedOnPlan(tool: Tool, body: JsonObject, tier: Tier): readonly RuleBreach[] {
  const beyond = beyondPlan(tool, body, tier);
  if (beyond.length > 0) return beyond;
  return fitsPlanDefault(tool, body, withPlanDefaults(tool, body, tier));
}

function fitsPlanDefault(
  tool: Tool,
  body: JsonObject,
  completed: JsonObject,
): readonly RuleBreach[] {
  const model = fieldOf(completed, 'model');
  if (fieldOf(body, 'model') === model) return [];
  const anyway = new Set(breachesOf(tool, body).map(({ message }) => message));
  return breachesOf(tool, completed)
    .filter(({ message }) => !anyway.has(message))
    .map(({ field, message }) => ({
      field,
      message: `${message} (${model} is the plan’s default model; set model: to choose another)`,
    }));
}

/** The lowest named resolution of a tool; undefined where it has none. */
function lowestOf({ request, record }: Tool): string | undefined {
  const { properties } = request;
  if (!isObject(properties) || properties['resolution'] === undefined) return undefined;
  return record === 'video' ? lowestResolution.video : lowestResolution.image;
}

const freeModels = ({ offered }: ModelChoice): string =>
  offered
    .filter(({ plans }) => plans === 'all')
    .map(({ name }) => name)
    .join(', ');
