// Counts the projects in progress, so that no creation waits in the service's queue: those of this run, and those that
// earlier runs left. The account's plan limits their number, and so do `limits:` of the pipeline.

import type { Step } from '../language/pipeline.ts';
import type { Ledger } from '../model/ledger.ts';
import { longestWait } from './timeout.ts';

export interface GenerationLimits {
  /** All projects together; undefined: no limit. */
  readonly total: number | undefined;
  /** By step kind. */
  readonly byKind: Readonly<Record<string, number>>;
}

export interface GenerationOptions {
  readonly ledger: Ledger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly steps: readonly Step[];
  /** Undefined: no limits. */
  readonly limits: GenerationLimits | undefined;
}

/** The part of a job order that matters here. */
interface Order {
  readonly operation: string;
  /** The step kind. */
  readonly kind: string;
  readonly fingerprint?: string;
}

export class Generations {
  readonly #o: GenerationOptions;
  /** The kinds of creations of this run that are not over, by fingerprint. */
  readonly #ordered = new Map<string, string>();
  #isStuck = false;

  constructor(options: GenerationOptions) {
    this.#o = options;
  }

  /** True once nothing that this run waits for can make room. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** Call when nothing is in flight and no task can start: projects that earlier runs left may hold the room. */
  nothingEnds(): void {
    if (this.#isStuck) throw new Error('bug: nothing runs and nothing can start');
    this.#isStuck = true;
  }

  /** Call when a job starts. */
  begin(order: Order): void {
    if (order.operation === 'create' && order.fingerprint !== undefined)
      this.#ordered.set(order.fingerprint, order.kind);
  }

  /** Call when a job is over; from then on, the ledger says whether its project is. */
  end({ fingerprint }: Order): void {
    if (fingerprint !== undefined) this.#ordered.delete(fingerprint);
  }

  /** True if the limits allow another project of this step kind now. */
  hasRoom(kind: string): boolean {
    const { total, byKind } = this.#o.limits ?? {};
    const ofKind = byKind?.[kind];
    if (total === undefined && ofKind === undefined) return true;
    const kinds = [...this.#ordered.values(), ...this.#left()];
    if (total !== undefined && kinds.length >= total) return false;
    return ofKind === undefined || kinds.filter((other) => other === kind).length < ofKind;
  }

  /** True if no step that creates may begin now: then it is too early for the uploads that such steps use. */
  get isFull(): boolean {
    return this.#o.steps
      .filter((step) => step.kind.operation === 'create')
      .every((step) => !this.hasRoom(step.kind.name));
  }

  /**
   * The kinds of the projects in the ledger that may still render. A project that has taken longer than any run waits
   * for it no longer counts: nobody may ever ask for it again, and then it would take a place forever. A creation in doubt
   * does not count once its job is over, so that a crash does not stop the next run.
   */
  *#left(): Generator<string> {
    const { ledger, steps } = this.#o;
    const now = this.#o.now();
    for (const { job, kind, at } of ledger.unsettled())
      if (!this.#ordered.has(job) && now - Date.parse(at) < longestWait(kind, steps)) yield kind;
  }
}
