// How large an output may be, by plan and tool (models.md, Plans).
import { allowances, type OutputLimit, ownLimits, type Tier } from '../../contract/api/tier.ts';
import { isObject } from '../../contract/base/json.ts';
import type { Tool } from '../../contract/kinds/kind.ts';

/** The resolution of a free plan (interface.md, POST /v1/character-replace), and that of 4k. */
const named = { free: 576, paid: 2160 } as const;

export function outputLimit({ name, request }: Tool, tier: Tier): OutputLimit {
  const { properties } = request;
  const isNamed = isObject(properties) && properties['resolution'] !== undefined;
  // The size of an enlarged picture follows from its factor: models.md names no limit.
  if (isNamed || name === 'ai-image-upscaler')
    return { most: tier === 'free' ? named.free : named.paid, longest: Number.POSITIVE_INFINITY };
  const { longestEdge } = allowances[tier];
  const { most = longestEdge, longest = longestEdge } = ownLimits[name] ?? {};
  return { most: Math.min(most, longestEdge), longest: Math.min(longest, longestEdge) };
}
