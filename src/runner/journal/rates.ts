// Rates: what creations were really charged, so that estimates follow the service and not only a list.
import type { JobLine, Measure } from './line.ts';

export class Rates {
  /** Credits for one unit of a measure, at worst. */
  readonly #rates = new Map<string, number>();
  /** By how much charges of a step kind were above what was set aside for them, at worst. */
  readonly #overruns = new Map<string, number>();
  /** The most that one creation of a step kind was charged. */
  readonly #dearest = new Map<string, number>();

  /** Takes in the most that the service has said it charged for a job, also what it gave back later. */
  learn({ kind, state, credits = 0, peak = 0, reserve = 0, measure }: JobLine): void {
    if (!charged.includes(state) && peak === 0) return;
    const most = charged.includes(state) ? Math.max(credits, peak) : peak;
    this.#dearest.set(kind, Math.max(this.dearest(kind), most));
    if (reserve > 0) this.#overruns.set(kind, Math.max(this.overrun(kind), most / reserve));
    if (measure === undefined) return;
    const rate = most / measure.amount;
    this.#rates.set(measure.of, Math.max(this.#rates.get(measure.of) ?? 0, rate));
  }

  /** Has any creation of this step kind been charged? */
  knows(kind: string): boolean {
    return this.#dearest.has(kind);
  }

  /** Credits; 0 where none was charged yet. */
  dearest(kind: string): number {
    return this.#dearest.get(kind) ?? 0;
  }

  /** Credits, rounded up, by the dearest charge for the same kind of order; undefined: there was none. */
  expected({ of, amount }: Measure): number | undefined {
    const rate = this.#rates.get(of);
    return rate === undefined ? undefined : Math.ceil(rate * amount - 1e-6);
  }

  /** At least 1: what an estimate of this step kind is multiplied with where nothing better is known. */
  overrun(kind: string): number {
    return this.#overruns.get(kind) ?? 1;
  }
}

/** States in which the service has said what it charged, and did not give it back. */
const charged: readonly JobLine['state'][] = ['created', 'complete', 'deleted'];
