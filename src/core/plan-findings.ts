// What subscription plans would refuse of a plan.
import type { JsonObject } from '../base/json.ts';
import { type Tier, tiers } from '../contract/api/tier.ts';
import { refusedOnPlan } from '../contract/plan-rules.ts';
import type { RuleBreach } from '../contract/rules.ts';
import type { Step } from '../language/pipeline.ts';

/**
 * What each subscription plan would refuse, because the account's plan is known only after planning. Keeps the first finding of each
 * step for each plan, so that a million items are a few lines.
 */
export class PlanFindings {
  readonly #byTier = new Map<Tier, Map<string, RuleBreach>>(tiers.map((tier) => [tier, new Map()]));

  /** `body` has only the fields that are known. */
  look({ name, kind }: Step, body: JsonObject): void {
    if (kind.tool === undefined) return;
    for (const [tier, found] of this.#byTier) {
      if (found.has(name)) continue;
      const [first] = refusedOnPlan(kind.tool, body, tier);
      if (first !== undefined) found.set(name, first);
    }
  }

  /** By step. */
  refusedOn(tier: Tier): ReadonlyMap<string, RuleBreach> {
    return this.#byTier.get(tier) ?? new Map();
  }
}
