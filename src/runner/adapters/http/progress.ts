// Transfers may take hours, so they have no deadline. A transfer that hardly makes progress counts as cut, and a
// download then resumes.
import { GivenUp } from './exchange.ts';

export interface LeastProgress {
  /** At least this many bytes … */
  readonly bytes: number;
  /** … in each period of this many milliseconds. */
  readonly everyMs: number;
}

/** 1 KB a second over two minutes. */
export const leastProgress: LeastProgress = { bytes: 120_000, everyMs: 120_000 };

export class Progress implements Disposable {
  readonly #least: LeastProgress;
  readonly #cut = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(least: LeastProgress) {
    this.#least = least;
  }

  /** Aborted if too few bytes arrive. */
  get signal(): AbortSignal {
    return this.#cut.signal;
  }

  /** Counts bytes. The first call starts the watch. */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.#timer ??= setInterval(() => this.#look(), this.#least.everyMs);
  }

  #look(): void {
    const seconds = this.#least.everyMs / 1000;
    if (this.#bytes < this.#least.bytes)
      this.#cut.abort(new GivenUp('slow', `only ${this.#bytes} bytes came in ${seconds} seconds`));
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
