// How many projects may be in progress at once, so that no creation waits in the service's queue: the account's plan limits
// their number, and so do `limits:` of the pipeline. Projects that earlier runs left count, too.

import { longestWait } from '../core/timeout.ts';
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import type { Ledger } from '../model/ledger.ts';

export interface GenerationLimits {
  /** All projects together; undefined: no limit. */
  readonly total: number | undefined;
  /** By step kind. */
  readonly byKind: Readonly<Record<string, number>>;
}

export interface GenerationOptions {
  readonly ledger: Pick<Ledger, 'unsettled'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly steps: readonly Step[];
  /** Undefined: no limits. */
  readonly limits: GenerationLimits | undefined;
}

/** A project in progress, or a creation that may become one. */
export interface Generation {
  readonly kind: string;
  /** Undefined until the creation is ordered. */
  readonly job?: Fingerprint | undefined;
}

export class Generations {
  readonly #o: GenerationOptions;

  constructor(options: GenerationOptions) {
    this.#o = options;
  }

  /** True if the limits allow another project of this step kind, besides those of this run and those in the ledger. */
  hasRoom(kind: string, own: Iterable<Generation> = []): boolean {
    const { total, byKind } = this.#o.limits ?? {};
    const ofKind = byKind?.[kind];
    if (total === undefined && ofKind === undefined) return true;
    const kinds = this.#kinds(own);
    if (total !== undefined && kinds.length >= total) return false;
    return ofKind === undefined || kinds.filter((other) => other === kind).length < ofKind;
  }

  /** True if no step that creates may begin now: then it is too early for the uploads that such steps use. */
  isFull(own: Iterable<Generation> = []): boolean {
    const creating = this.#o.steps.filter((step) => step.kind.operation === 'create');
    return creating.every((step) => !this.hasRoom(step.kind.name, own));
  }

  /**
   * The projects in the ledger count if they may still render. One that has taken longer than any run waits for it no longer
   * does: nobody may ever ask for it again, and then it would take a place forever. Nor does a creation in doubt whose job is
   * over, so that a crash does not stop the next run.
   */
  #kinds(own: Iterable<Generation>): readonly string[] {
    const { ledger, steps } = this.#o;
    const now = this.#o.now();
    const kinds: string[] = [];
    const jobs = new Set<string>();
    for (const { kind, job } of own) {
      kinds.push(kind);
      if (job !== undefined) jobs.add(job);
    }
    for (const { job, kind, at } of ledger.unsettled())
      if (!jobs.has(job) && now - Date.parse(at) < longestWait(kind, steps)) kinds.push(kind);
    return kinds;
  }
}
