// How long a stopping run waits for the requests that it has sent. A service that never completes its answers must not
// hold up the user, or a supervisor that kills slow processes.
import type { Clock } from '../../run/jobs/ports.ts';

/** In milliseconds. */
export const graceMs = 30_000;

export class GracePeriod {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #expired = new AbortController();
  readonly #cancelled = new AbortController();

  constructor(clock: Clock, grace: number = graceMs) {
    this.#clock = clock;
    this.#graceMs = grace;
  }

  /** Aborted when the run no longer waits for sent requests. */
  get expired(): AbortSignal {
    return this.#expired.signal;
  }

  /** Starts the grace period when `stop` is aborted. */
  beginAfter(stop: AbortSignal): void {
    const begin = async (): Promise<void> => {
      await this.#clock.sleep(this.#graceMs, this.#cancelled.signal);
      if (!this.#cancelled.signal.aborted) this.#expired.abort();
    };
    if (stop.aborted) void begin();
    else
      stop.addEventListener('abort', () => void begin(), {
        once: true,
        signal: this.#cancelled.signal,
      });
  }

  /** Call when nothing is sent any more. */
  cancel(): void {
    this.#cancelled.abort();
  }
}
