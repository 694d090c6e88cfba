// What a creation costs here: the published price where there is one, else a guess that is never zero.
import { priceOf } from '../api/price.ts';
import type { Tier } from '../api/tier.ts';
import { fieldOf, type JsonObject } from '../base/json.ts';
import type { Tool } from '../kinds/kind.ts';

export interface Charge {
  readonly credits: number;
  /** True where the final charge follows the real frame rate (interface.md, Rules). */
  readonly estimate: boolean;
}

/** interface.md, Rules; facts.md, Prices: a creation's figure assumes 30 frames a second. */
export const assumedFps = 30;
/** Clips whose body does not say when they end. */
const usualSeconds = 5;
/** What most published photo tools cost: charged for a tool of no published price. */
const usualCredits = 10;

/** `body` has its defaults filled in. */
export function chargeOf(tool: Tool, body: JsonObject, tier: Tier): Charge {
  const listed = priceOf(tool.name, tier === 'free' ? withFreeModel(tool, body) : body);
  if (listed.known) return { credits: listed.credits, estimate: listed.estimate };
  // Not published (for example character-replace): a credit a frame, which is how the service prices most
  // of its video tools. A guess of ours; the hosted service may charge more or less.
  if (tool.record === 'video')
    return { credits: Math.ceil(clipOf(body).seconds * assumedFps), estimate: true };
  return { credits: usualCredits, estimate: false };
}

/** facts.md, Prices: on the free plan `default` is another model than on the others. */
function withFreeModel({ name }: Tool, body: JsonObject): JsonObject {
  const model = fieldOf(body, 'model') ?? 'default';
  const freeDefault = name === 'text-to-video' || name === 'image-to-video';
  return freeDefault && model === 'default' ? { ...body, model: 'ltx-2.3' } : body;
}

export interface Clip {
  readonly start: number;
  readonly end: number;
  readonly seconds: number;
}

/** Which part of the timeline a body asks for, in seconds. */
export function clipOf(body: JsonObject): Clip {
  const from = fieldOf(body, 'start_seconds');
  const to = fieldOf(body, 'end_seconds');
  const start = typeof from === 'number' ? from : 0;
  const end = typeof to === 'number' ? to : start + usualSeconds;
  return { start, end, seconds: Math.max(0.1, end - start) };
}

/** What an estimate comes to once the output's frame rate is known. */
export function settledCredits({ credits, estimate }: Charge, fps: number | undefined): number {
  return estimate && fps !== undefined ? Math.ceil((credits * fps) / assumedFps) : credits;
}

/** A charge so many percent above what it would be. Credits are whole. */
export function surcharged(credits: number, percent: number): number {
  return Math.ceil((credits * (100 + percent)) / 100);
}
