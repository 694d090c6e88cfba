// The failure policy: how many failures a run tolerates before it stops buying (`on_failure` and `max_failures` of a
// pipeline).

import { count } from '../base/text.ts';
import { tooManyFailed } from '../language/failure-limits.ts';
import type { FailureLimits } from '../language/pipeline.ts';
import type { Budget } from './budget.ts';
import type { ItemRun } from './item-run.ts';

export class FailurePolicy {
  readonly #failureLimits: FailureLimits;
  readonly #total: number;
  readonly #budget: Budget;
  /** Failed items that are not over. */
  readonly #failed = new Set<ItemRun>();
  #items = 0;

  /** `total`: the number of items in the run, for limits given as a share. */
  constructor(failureLimits: FailureLimits, total: number, budget: Budget) {
    this.#failureLimits = failureLimits;
    this.#total = total;
    this.#budget = budget;
  }

  /** Call when one of an item's tasks has failed. */
  failed({ root }: ItemRun): void {
    if (this.#failed.has(root)) return;
    this.#failed.add(root);
    this.#items += 1;
    this.#judge(tooManyFailed(this.#failureLimits, this.#items, this.#total));
  }

  /** Call when an item is over. */
  over(itemRun: ItemRun): void {
    if (!this.#failed.delete(itemRun)) return;
    const lost = this.#budget.writeOff(itemRun);
    const { credits: most } = this.#failureLimits;
    if (most !== undefined && lost > most)
      this.#judge(`${count(lost, 'credit')} went to items that failed, and ${most} may`);
  }

  #judge(why: string | undefined): void {
    if (why !== undefined) this.#budget.close({ because: 'failures', why });
  }
}
