// What a creation costs: the same price as in the plan, from the same table (contract/price.ts).

import type { JsonObject } from '../base/json.ts';
import type { Tier } from '../contract/api/tier.ts';
import { chosenFps, countedFps, dearestOf, priceOf } from '../contract/price.ts';
import type { Tool } from '../contract/tool.ts';

interface Charge {
  readonly credits: number;
  /** True where the final charge follows the real frame rate (interface.md, Rules). */
  readonly estimate: boolean;
}

/** Credits for creations without a published price, by tool. A rehearsal takes them from the steps' `estimate:`. */
export type StatedPrices = ReadonlyMap<string, number>;

/**
 * `body` has its defaults filled in. Without a published price, the stated price is charged; without that, the highest
 * price that is published for the tool, so that a rehearsal never costs less than the hosted service without saying so.
 */
export function chargeOf(tool: Tool, body: JsonObject, tier: Tier, stated: StatedPrices): Charge {
  const listed = priceOf(tool, body, tier);
  const estimate = countedFps(tool, body) !== undefined;
  if (listed.known) return { credits: listed.credits, estimate };
  const credits = stated.get(tool.name);
  if (credits !== undefined) return { credits: Math.ceil(credits), estimate: false };
  return { credits: dearestOf(tool, body), estimate };
}

/**
 * The final charge, once the output's frame rate is known. A price by the second does not depend on the frame rate: the
 * frame rate of a preview says nothing about the hosted service's output.
 */
export function settledCredits(
  { credits, estimate }: Charge,
  { tool, body, fps }: { readonly tool: Tool; readonly body: JsonObject; readonly fps?: number },
): number {
  const counted = countedFps(tool, body);
  const real = chosenFps(tool, body) ?? fps;
  if (!estimate || real === undefined || counted === undefined) return credits;
  return Math.ceil((credits * real) / counted - 1e-6);
}

/** Raises a charge by a percentage. Credits are whole numbers. */
export function surcharged(credits: number, percent: number): number {
  return Math.ceil((credits * (100 + percent)) / 100);
}
