// What the subscription plans allow of a tool.
import { allowances, ownLimits, tiers } from '../api/tier.ts';
import { isObject } from '../base/json.ts';
import type { Tool } from '../kinds/kind.ts';
import { freePlanOf } from '../kinds/plan-rules.ts';

/** Sentences about what depends on the plan; empty if nothing does. */
export function plansOf(tool: Tool): readonly string[] {
  return [...freePlanOf(tool).map((limit) => `On the free plan, ${limit}.`), ...sizeOf(tool)];
}

/** Tools without named resolutions limit the longer side of the output by plan (models.md, Plans). */
function sizeOf({ name, record, request }: Tool): readonly string[] {
  const { properties } = request;
  const isNamed = isObject(properties) && properties['resolution'] !== undefined;
  if (isNamed || record === 'audio' || name === 'ai-image-upscaler') return [];
  const { most, longest = Number.POSITIVE_INFINITY } = ownLimits[name] ?? {};
  const sizes = tiers.map((tier) => `${Math.min(longest, allowances[tier].longestEdge)} (${tier})`);
  return [
    `The longer side of the output has at most this many pixels, by plan: ${sizes.join(', ')}.`,
    ...(most === undefined ? [] : [`The shorter side has at most ${most} pixels on every plan.`]),
  ];
}
