// How large an output may be, by plan and tool (models.md, Plans).
import { allowances, type Tier } from '../../contract/api/tier.ts';
import { isObject } from '../../contract/base/json.ts';
import type { Tool } from '../../contract/kinds/kind.ts';

export interface OutputLimit {
  /** Maximum pixels of the shorter side. */
  readonly most: number;
  /** Maximum pixels of the longer side. */
  readonly longest: number;
}

/** The resolution of a free plan (interface.md, POST /v1/character-replace), and that of 4k. */
const named = { free: 576, paid: 2160 } as const;

/** Tools with their own limit on every plan. */
const own: Readonly<Record<string, Partial<OutputLimit>>> = {
  'ai-headshot-generator': { longest: 1344 },
  'ai-clothes-changer': { longest: 1472 },
  'ai-talking-photo': { most: 720 },
  'video-to-video': { longest: 1472 },
  animation: { longest: 1472 },
};

export function outputLimit({ name, request }: Tool, tier: Tier): OutputLimit {
  const { properties } = request;
  const isNamed = isObject(properties) && properties['resolution'] !== undefined;
  // The size of an enlarged picture follows from its factor: models.md names no limit.
  if (isNamed || name === 'ai-image-upscaler')
    return { most: tier === 'free' ? named.free : named.paid, longest: Number.POSITIVE_INFINITY };
  const { longestEdge } = allowances[tier];
  const { most = longestEdge, longest = longestEdge } = own[name] ?? {};
  return { most: Math.min(most, longestEdge), longest: Math.min(longest, longestEdge) };
}
