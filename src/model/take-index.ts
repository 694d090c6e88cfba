// The takes of each request that has more than one, by the job of the first.

import type { JobLine } from './line.ts';

export class TakeIndex {
  readonly #jobOf: (job: string) => JobLine | undefined;
  /** The jobs of the later takes. */
  readonly #later = new Map<string, Set<string>>();

  constructor(jobOf: (job: string) => JobLine | undefined) {
    this.#jobOf = jobOf;
  }

  learn({ job, take }: JobLine): void {
    if (take === undefined) return;
    const known = this.#later.get(take.of) ?? new Set();
    this.#later.set(take.of, known.add(job));
  }

  /** The second take first. */
  later(first: string): readonly JobLine[] {
    const known = [...(this.#later.get(first) ?? [])].flatMap((job) => this.#jobOf(job) ?? []);
    return known.sort((a, b) => numberOf(a) - numberOf(b));
  }

  /** The jobs of all first takes. One that a damaged file has lost is left out. */
  firsts(): readonly JobLine[] {
    return [...this.#later.keys()].sort().flatMap((first) => this.#jobOf(first) ?? []);
  }
}

/** 1 is the first take. */
export const numberOf = ({ take }: JobLine): number => take?.number ?? 1;

/** All takes of a request, the first one first. */
export const allTakes = (
  ledger: { job(job: string): JobLine | undefined; readonly takes: TakeIndex },
  first: string,
): readonly JobLine[] =>
  [ledger.job(first), ...ledger.takes.later(first)].filter((job) => job !== undefined);
