// Which files of a watched folder are complete, which of them are new or changed, and when a run is worth it. Events of
// the file system play no part: only what a look at the files shows counts, so a lost event delays a file and loses none.

export interface Sighting {
  readonly key: string;
  /** Differs when the file was written, replaced or renamed. */
  readonly stamp: string;
  /** Milliseconds since its last change, by the wall clock. */
  readonly age: number;
}

interface Known {
  readonly stamp: string;
  /** When this stamp was first seen, by the clock's `elapsed`. */
  readonly since: number;
}

interface ArrivalTerms {
  /** A file is complete when it has looked the same for so long, in milliseconds. */
  readonly settleMs: number;
  /** How long complete files wait for others that are being written, to be one batch with them. */
  readonly patienceMs: number;
}

/** The files at a moment. */
export interface Standing {
  /** Complete files that no run has taken as they are. */
  readonly added: number;
  readonly changed: number;
  /** Files that may still be written. */
  readonly settling: number;
  /** True if a run should begin now. */
  readonly ready: boolean;
  /** By the clock's `elapsed`: when a look is worthwhile although nothing was reported. */
  readonly nextAt: number | undefined;
}

export class Arrivals {
  readonly #terms: ArrivalTerms;
  #known: ReadonlyMap<string, Known> = new Map();
  /** The stamps with which files were in a run. */
  readonly #taken = new Map<string, string>();
  /** The stamps with which files failed. */
  readonly #failed = new Map<string, string>();
  /** Since when complete files wait for a run. */
  #waitingSince: number | undefined;
  #looked = false;

  constructor(terms: ArrivalTerms) {
    this.#terms = terms;
  }

  /** All files that are there. `elapsed` is the time of the look. */
  look(files: Iterable<Sighting>, elapsed: number): void {
    const known = new Map<string, Known>();
    for (const { key, stamp, age } of files) {
      const before = this.#known.get(key);
      // What is old when the watch or the pipeline begins is complete: nobody has written to it for long.
      const since = this.#looked ? elapsed : elapsed - Math.max(0, age);
      known.set(key, before?.stamp === stamp ? before : { stamp, since });
    }
    for (const stamps of [this.#taken, this.#failed])
      for (const key of stamps.keys()) if (!known.has(key)) stamps.delete(key);
    this.#known = known;
    this.#looked = true;
  }

  standing(elapsed: number): Standing {
    let [added, changed, settling] = [0, 0, 0];
    let nextAt = Number.POSITIVE_INFINITY;
    for (const [key, { stamp, since }] of this.#known) {
      if (!this.#isSettled(since, elapsed)) {
        settling += 1;
        nextAt = Math.min(nextAt, since + this.#terms.settleMs);
        continue;
      }
      const taken = this.#taken.get(key);
      if (taken === undefined) added += 1;
      else if (taken !== stamp) changed += 1;
    }
    const waits = added + changed > 0;
    this.#waitingSince = waits ? (this.#waitingSince ?? elapsed) : undefined;
    const latest = (this.#waitingSince ?? elapsed) + this.#terms.patienceMs;
    const ready = waits && (settling === 0 || elapsed >= latest);
    if (waits) nextAt = Math.min(nextAt, latest);
    return {
      added,
      changed,
      settling,
      ready,
      nextAt: Number.isFinite(nextAt) ? nextAt : undefined,
    };
  }

  /** The keys of the files that a run may take now: all complete ones, without those that failed as they are. */
  selection(elapsed: number): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const [key, { stamp, since }] of this.#known)
      if (this.#isSettled(since, elapsed) && this.#failed.get(key) !== stamp) keys.add(key);
    return keys;
  }

  /** True if the file was there at the last look. */
  has(key: string): boolean {
    return this.#known.has(key);
  }

  /** How many files wait until somebody changes them. */
  get failed(): number {
    let failed = 0;
    for (const [key, stamp] of this.#failed) if (this.#known.get(key)?.stamp === stamp) failed += 1;
    return failed;
  }

  /** Call when a run begins with these keys. Returns what to call with the keys of the items that failed. */
  take(keys: ReadonlySet<string>): (failed: Iterable<string>) => void {
    const stamps = new Map<string, string>();
    for (const key of keys) {
      const stamp = this.#known.get(key)?.stamp;
      if (stamp !== undefined) stamps.set(key, stamp);
    }
    for (const [key, stamp] of stamps) this.#taken.set(key, stamp);
    this.#waitingSince = undefined;
    return (failed) => {
      for (const key of keys) this.#failed.delete(key);
      for (const key of failed) {
        const stamp = stamps.get(key);
        if (stamp !== undefined) this.#failed.set(key, stamp);
      }
    };
  }

  /** The pipeline has changed: what failed may be tried again, and what is new and old is complete, as in the beginning. */
  forgive(): void {
    this.#failed.clear();
    this.#looked = false;
  }

  #isSettled(since: number, elapsed: number): boolean {
    return elapsed - since >= this.#terms.settleMs;
  }
}
