// What a creation costs here: the same price as the plan's, from the same table (api/price.ts).
import { assumedFps, chosenFps, countedFps, dearestOf, priceOf } from '../../contract/api/price.ts';
import type { Tier } from '../../contract/api/tier.ts';
import type { JsonObject } from '../../contract/base/json.ts';
import type { Tool } from '../../contract/kinds/kind.ts';

export { assumedFps };

export interface Charge {
  readonly credits: number;
  /** True where the final charge follows the real frame rate (interface.md, Rules). */
  readonly estimate: boolean;
}

/** Credits for creations whose price is not published, by tool: a rehearsal knows them from the steps' `estimate:`. */
export type StatedPrices = ReadonlyMap<string, number>;

/**
 * `body` has its defaults filled in. Where no price is published, the stated one is charged, else the dearest that is
 * published for the tool: a rehearsal's bill is never silently below the hosted one.
 */
export function chargeOf(
  tool: Tool,
  body: JsonObject,
  tier: Tier,
  stated: StatedPrices = new Map(),
): Charge {
  const listed = priceOf(tool.name, body, tier);
  const estimate = countedFps(tool.name, body) !== undefined;
  if (listed.known) return { credits: listed.credits, estimate };
  const credits = stated.get(tool.name);
  if (credits !== undefined) return { credits: Math.ceil(credits), estimate: false };
  return { credits: dearestOf(tool.name, body), estimate };
}

/**
 * What an estimate comes to once the output's frame rate is known. A price by the second does not follow it: how many
 * frames a second a preview has says nothing about the hosted service's output.
 */
export function settledCredits(
  { credits, estimate }: Charge,
  {
    tool,
    body,
    fps,
  }: { readonly tool: string; readonly body: JsonObject; readonly fps?: number | undefined },
): number {
  const counted = countedFps(tool, body);
  const real = chosenFps(tool, body) ?? fps;
  if (!estimate || real === undefined || counted === undefined) return credits;
  return Math.ceil((credits * real) / counted - 1e-6);
}

/** A charge so many percent above what it would be. Credits are whole. */
export function surcharged(credits: number, percent: number): number {
  return Math.ceil((credits * (100 + percent)) / 100);
}
