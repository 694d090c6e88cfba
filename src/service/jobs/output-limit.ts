// How large an output may be: by the plan, and by the tool (models.md, Plans).
import { allowances, type Tier } from '../../contract/api/tier.ts';
import { isObject } from '../../contract/base/json.ts';
import type { Tool } from '../../contract/kinds/kind.ts';

export interface OutputLimit {
  /** Pixels that the shorter side may have. */
  readonly most: number;
  /** Pixels that the longer side may have. */
  readonly longest: number;
}

/** What a free plan has of named resolutions (interface.md, POST /v1/character-replace), and what 4k is. */
const named = { free: 576, paid: 2160 } as const;

/** Tools with a limit of their own on every plan. */
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
  // An enlarged picture is as large as its factor makes it: models.md names no cap for it.
  if (isNamed || name === 'ai-image-upscaler')
    return { most: tier === 'free' ? named.free : named.paid, longest: Number.POSITIVE_INFINITY };
  const { longestEdge } = allowances[tier];
  const { most = longestEdge, longest = longestEdge } = own[name] ?? {};
  return { most: Math.min(most, longestEdge), longest: Math.min(longest, longestEdge) };
}
