// `--detach-after`: when a run leaves the projects that still render.
import type { Clock } from '../../run/jobs/ports.ts';
import { graceMs } from './grace-period.ts';

export class Detachment {
  readonly #clock: Clock;
  readonly #leave = new AbortController();
  readonly #overdue = new AbortController();
  readonly #over = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborted when the run no longer waits for projects. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  /** Aborted when the run ends whatever it still waits for, such as a service that is down. */
  get overdue(): AbortSignal {
    return this.#overdue.signal;
  }

  /** Starts the clock. */
  async begin(afterMs: number): Promise<void> {
    await this.#clock.sleep(afterMs, this.#over.signal);
    if (this.#over.signal.aborted) return;
    this.#leave.abort();
    await this.#clock.sleep(graceMs, this.#over.signal);
    if (!this.#over.signal.aborted) this.#overdue.abort();
  }

  /** Call when the run is over. */
  cancel(): void {
    this.#over.abort();
  }
}
