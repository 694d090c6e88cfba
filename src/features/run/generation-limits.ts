// How many projects a run may have in progress at once: what the account's plan allows, and what the pipeline says.
import { allowances, isTier } from '../../contract/api/tier.ts';
import type { Limits } from '../../language/pipeline.ts';
import type { GenerationLimits } from '../../plan/generations.ts';
import type { Manner } from './manner.ts';

/** Undefined for an unlimited plan, and for one whose limit is not known. */
export const generationsOn = (tier: string | undefined): number | undefined =>
  tier !== undefined && isTier(tier) ? allowances[tier].generations : undefined;

/** Items do not wait in a tick for their projects, so there the projects count as items in progress. */
export function generationLimits(
  { items, steps }: Limits,
  tier: string | undefined,
  manner: Manner,
): GenerationLimits {
  const ofPlan = generationsOn(tier);
  const total = manner === 'tick' ? Math.min(items, ofPlan ?? items) : ofPlan;
  return { total, byKind: steps };
}
