// What a plan finds beside its rows: what subscription plans would refuse, the items with nothing to do, and those with something
// to pay for or to wait for.
import type { JsonObject } from '../base/json.ts';
import { type Tier, tiers } from '../contract/api/tier.ts';
import { refusedOnPlan } from '../contract/plan-rules.ts';
import type { RuleBreach } from '../contract/rules.ts';
import type { Step } from '../language/pipeline.ts';
import type { Ledger } from '../model/ledger.ts';
import { reuseEvents } from '../model/reuse-events.ts';
import type { PlannedTask } from './planned-action.ts';

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

/** The items with nothing to do, which the run only reports: a set of places. A million of them take 125 KB. */
export class SettledItems {
  #bits = new Uint8Array(64);

  /** `place`: the place of the item among all items. */
  add(place: number): void {
    const byte = place >> 3;
    if (byte >= this.#bits.length) {
      const larger = new Uint8Array(byte * 2);
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (place & 7));
  }

  has(place: number): boolean {
    return ((this.#bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0;
  }
}

/** True if a run only reports the task: it is settled, or skipped as the state file knows. */
export function isAtRest(planned: PlannedTask, ledger: Ledger): boolean {
  const { action, task, why, times } = planned;
  if (action !== 'skipped') return isSettled(planned, ledger);
  return times === undefined && !ledger.lacks({ task, state: 'skipped', why });
}

/** True if the task's result is here, its files are those that were saved, and the state file says so already. */
export function isSettled(planned: PlannedTask, ledger: Ledger): boolean {
  const { action, task, step, files, fingerprint, times } = planned;
  if (action !== 'reuse' || files !== undefined || times !== undefined) return false;
  const job = fingerprint === undefined ? undefined : ledger.job(fingerprint);
  return job !== undefined && reuseEvents(task, step.kind.operation, job, ledger).length === 0;
}
