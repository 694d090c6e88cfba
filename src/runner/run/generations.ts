// Counts the projects in progress, so that no creation waits in the service's queue: those of this run, and those that
// earlier runs left. The account's plan limits their number, and so do `limits:` of the pipeline.
import type { Ledger } from '../journal/ledger.ts';
import type { Step } from '../language/pipeline.ts';
import type { CreateOrder } from './jobs/job.ts';
import type { Clock } from './jobs/ports.ts';
import { longestWait } from './orders.ts';

export interface GenerationLimits {
  /** All projects together; undefined: no limit. */
  readonly total: number | undefined;
  /** By step kind. */
  readonly byKind: Readonly<Record<string, number>>;
}

export interface GenerationOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly steps: readonly Step[];
  readonly limits: GenerationLimits;
}

export class Generations {
  readonly #o: GenerationOptions;
  /** The kinds of creations of this run that are not over, by fingerprint. */
  readonly #ordered = new Map<string, string>();

  constructor(options: GenerationOptions) {
    this.#o = options;
  }

  /** Call when a creation starts. */
  begin({ fingerprint, kind }: CreateOrder): void {
    this.#ordered.set(fingerprint, kind);
  }

  /** Call when the job of a creation is over; from then on, the ledger says whether its project is. */
  end({ fingerprint }: CreateOrder): void {
    this.#ordered.delete(fingerprint);
  }

  /** True once nothing that this run waits for can make room. */
  isStuck = false;

  /** True if the limits allow another project of this step kind now. */
  hasRoom(kind: string): boolean {
    const { total, byKind } = this.#o.limits;
    const ofKind = byKind[kind];
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
   * for it no longer counts: nobody may ever ask for it again, and then it would take a place forever.
   */
  *#left(): Generator<string> {
    const { ledger, clock, steps } = this.#o;
    const now = clock.now();
    for (const { job, kind, at } of ledger.unsettled())
      if (!this.#ordered.has(job) && now - Date.parse(at) < longestWait(kind, steps)) yield kind;
  }
}
