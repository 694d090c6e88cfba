// Tolerance: how much may go wrong before a run buys nothing more (`on_failure`, `max_failures` of a pipeline).

import { tooManyFailed } from '../language/failure-limits.ts';
import type { FailureLimits } from '../language/pipeline.ts';
import { count } from '../report/text.ts';
import type { Purse } from './purse.ts';
import type { Work } from './work.ts';

export class Tolerance {
  readonly #failureLimits: FailureLimits;
  readonly #total: number;
  readonly #purse: Purse;
  #items = 0;
  #credits = 0;

  /** `total`: the items of the run, which a share is taken of. */
  constructor(failureLimits: FailureLimits, total: number, purse: Purse) {
    this.#failureLimits = failureLimits;
    this.#total = total;
    this.#purse = purse;
  }

  /** One of an item's tasks has failed. */
  failed(work: Work): void {
    if (work.failed) return;
    work.failed = true;
    this.#items += 1;
    this.#judge(tooManyFailed(this.#failureLimits, this.#items, this.#total));
  }

  /** An item is over. */
  over({ failed, paid }: Work): void {
    if (!failed) return;
    this.#credits += paid;
    const { credits: most } = this.#failureLimits;
    if (most !== undefined && this.#credits > most)
      this.#judge(`${count(this.#credits, 'credit')} went to items that failed, and ${most} may`);
  }

  #judge(why: string | undefined): void {
    if (why !== undefined) this.#purse.close({ because: 'failures', why });
  }
}
