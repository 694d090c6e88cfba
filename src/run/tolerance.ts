// Tolerance: how much may go wrong before a run buys nothing more (`on_failure`, `max_failures` of a pipeline).
import type { Tolerated } from '../language/pipeline.ts';
import { count } from '../report/text.ts';

export class Tolerance {
  readonly #tolerated: Tolerated;
  readonly #total: number;
  #items = 0;
  #credits = 0;

  /** `total`: the items of the run, which a share is taken of. */
  constructor(tolerated: Tolerated, total: number) {
    this.#tolerated = tolerated;
    this.#total = total;
  }

  /** An item has failed; the text says why nothing more is bought. */
  failed(): string | undefined {
    this.#items += 1;
    const { items, share } = this.#tolerated;
    if (items !== undefined && this.#items > items)
      return `${count(this.#items, 'item')} failed, and ${items} may`;
    if (share !== undefined && this.#items > share * this.#total)
      return `${count(this.#items, 'item')} of ${this.#total} failed, and ${Number((share * 100).toFixed(4))} % may`;
    return undefined;
  }

  /** What a failed item was charged in this run. */
  lost(credits: number): string | undefined {
    this.#credits += credits;
    const { credits: most } = this.#tolerated;
    if (most === undefined || this.#credits <= most) return undefined;
    return `${count(this.#credits, 'credit')} went to items that failed, and ${most} may`;
  }
}
