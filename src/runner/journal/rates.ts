// Rates: the actual charges of creations, so that estimates follow the service and not only a price list.
import type { JobLine, Measure } from './line.ts';

export class Rates {
  /** The highest credits per unit of a measure. */
  readonly #rates = new Map<string, number>();
  /** The highest ratio of a charge to its reserve, by step kind. */
  readonly #overruns = new Map<string, number>();
  /** The highest charge of one creation, by step kind. */
  readonly #dearest = new Map<string, number>();
  #version = 0;

  /** Grows whenever an estimate may have changed. */
  get version(): number {
    return this.#version;
  }

  /**
   * Learns from the highest charge that the service reported for a job, even if it refunded part of it later. `before`: the
   * same job as it was learnt last.
   */
  learn(line: JobLine, before?: JobLine): void {
    if (before !== undefined && isSameCharge(before, line)) return;
    const { kind, state, credits = 0, peak = 0, reserve = 0, measure } = line;
    if (!charged.includes(state) && peak === 0) return;
    const most = charged.includes(state) ? Math.max(credits, peak) : peak;
    this.#raise(this.#dearest, kind, most);
    if (reserve > 0) this.#raise(this.#overruns, kind, Math.max(1, most / reserve));
    if (measure !== undefined) this.#raise(this.#rates, measure.of, most / measure.amount);
  }

  #raise(highest: Map<string, number>, of: string, number: number): void {
    const before = highest.get(of);
    if (before !== undefined && before >= number) return;
    highest.set(of, number);
    this.#version += 1;
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

/** The measure of a job is the same object from its intent on. */
const isSameCharge = (one: JobLine, other: JobLine): boolean =>
  one.credits === other.credits &&
  one.peak === other.peak &&
  one.reserve === other.reserve &&
  one.measure === other.measure &&
  charged.includes(one.state) === charged.includes(other.state);
