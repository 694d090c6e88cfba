// Why a request is given up. Imports nothing of undici, because the types of the library name what is here.

export class GivenUp extends Error {
  readonly code = 'GIVEN_UP';
  /**
   * `long`: the answer is longer than what is read. `late`: the answer was not complete in time. `slow`: too few bytes arrived.
   * `stopped`: the run no longer waits for the answer. `odd`: the response is not a valid answer. `old`: the request waited for so
   * long that it was not sent.
   */
  readonly because: 'long' | 'late' | 'slow' | 'stopped' | 'odd' | 'old';
  constructor(because: GivenUp['because'], message: string) {
    super(message);
    this.because = because;
  }
}

// Transfers may take hours, so they have no deadline. A transfer that hardly makes progress counts as cut, and a
// download then resumes.

export interface LeastProgress {
  /** At least this many bytes … */
  readonly bytes: number;
  /** … in each period of this many milliseconds. */
  readonly everyMs: number;
}

/** 1 KB a second over two minutes. */
export const leastProgress: LeastProgress = { bytes: 120_000, everyMs: 120_000 };

export class Progress {
  readonly #least: LeastProgress;
  /** When the period began; undefined until the first look after the first bytes. */
  #since: number | undefined;
  #begun = false;
  #bytes = 0;

  constructor(least: LeastProgress) {
    this.#least = least;
  }

  /** Counts bytes. The first call starts the watch. */
  add(bytes: number): void {
    this.#begun = true;
    this.#bytes += bytes;
  }

  /** Why the transfer counts as cut; `now` is in milliseconds. */
  look(now: number): GivenUp | undefined {
    if (!this.#begun) return undefined;
    this.#since ??= now;
    const { bytes, everyMs } = this.#least;
    if (now - this.#since < everyMs) return undefined;
    if (this.#bytes < bytes)
      return new GivenUp('slow', `only ${this.#bytes} bytes came in ${everyMs / 1000} seconds`);
    this.#since = now;
    this.#bytes = 0;
    return undefined;
  }
}
