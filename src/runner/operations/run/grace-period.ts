// How long a run that was asked to stop waits for the requests that it has sent. A service that never ends its answers must
// not hold up a person, or a supervisor that kills slow processes.
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

  /** Aborted when the run no longer waits for the requests that it has sent. */
  get expired(): AbortSignal {
    return this.#expired.signal;
  }

  /** Starts the period when `stop` is aborted. */
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

  /** Nothing is sent any more. */
  cancel(): void {
    this.#cancelled.abort();
  }
}
