// Rates: the actual charges of creations, so that estimates follow the service and not only a price list.
import type { JobLine, Measure } from './line.ts';

export class Rates {
  /** The highest credits per unit of a measure. */
  readonly #rates = new Map<string, number>();
  /** The highest ratio of a charge to its reserve, by step kind. */
  readonly #overruns = new Map<string, number>();
  /** The highest charge of one creation, by step kind. */
  readonly #dearest = new Map<string, number>();

  /** Learns from the highest charge that the service reported for a job, even if it refunded part of it later. */
  learn({ kind, state, credits = 0, peak = 0, reserve = 0, measure }: JobLine): void {
    if (!charged.includes(state) && peak === 0) return;
    const most = charged.includes(state) ? Math.max(credits, peak) : peak;
    this.#dearest.set(kind, Math.max(this.dearest(kind), most));
    if (reserve > 0) this.#overruns.set(kind, Math.max(this.overrun(kind), most / reserve));
    if (measure === undefined) return;
    const rate = most / measure.amount;
    this.#rates.set(measure.of, Math.max(this.#rates.get(measure.of) ?? 0, rate));
  }

  /** True if any creation of this step kind was charged. */
  knows(kind: string): boolean {
    return this.#dearest.has(kind);
  }

  /** In credits; 0 if none was charged yet. */
  dearest(kind: string): number {
    return this.#dearest.get(kind) ?? 0;
  }

  /** In credits, rounded up, by the highest charge for the same kind of order; undefined if there was none. */
  expected({ of, amount }: Measure): number | undefined {
    const rate = this.#rates.get(of);
    return rate === undefined ? undefined : Math.ceil(rate * amount - 1e-6);
  }

  /** At least 1: the factor for an estimate of this step kind if nothing better is known. */
  overrun(kind: string): number {
    return this.#overruns.get(kind) ?? 1;
  }
}

/** States in which the service has reported a charge and has not refunded it. */
const charged: readonly JobLine['state'][] = ['created', 'complete', 'deleted'];
