// A time that begins with another event: how long a stopping run waits for the requests that it has sent, because a service
// that never completes its answers must not hold up the user, or a supervisor that kills slow processes.
import type { Clock } from '../../core/ports.ts';

/** For requests in flight. */
const graceMs = 30_000;

export class Deadline {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #passed = new AbortController();
  readonly #cancelled = new AbortController();

  constructor(clock: Clock, ms: number = graceMs) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Aborted when the time is over. */
  get passed(): AbortSignal {
    return this.#passed.signal;
  }

  async begin(): Promise<void> {
    await this.#clock.sleep(this.#ms, this.#cancelled.signal);
    if (!this.#cancelled.signal.aborted) this.#passed.abort();
  }

  /** Begins when `start` is aborted. */
  beginAfter(start: AbortSignal): void {
    if (start.aborted) void this.begin();
    else
      start.addEventListener('abort', () => void this.begin(), {
        once: true,
        signal: this.#cancelled.signal,
      });
  }

  /** Call when nothing is waited for any more. */
  cancel(): void {
    this.#cancelled.abort();
  }
}
