// A permission to send a creation is used at once or not at all. A process that was frozen between the permission and the
// first byte would send when everybody else believes that it is dead.
import type { Clock } from '../run/jobs/ports.ts';

/** From asking for the permission to the first byte of the request. */
const maxDelayMs = 8_000;

interface Moment {
  readonly elapsed: number;
  readonly now: number;
}

export class Promptness {
  readonly #clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly #asked = new Map<string, Moment>();

  constructor(clock: Pick<Clock, 'now' | 'elapsed'>) {
    this.#clock = clock;
  }

  /** Call right before asking for the permission to send the creation with this name. */
  asking(name: string): void {
    this.#asked.set(name, { elapsed: this.#clock.elapsed(), now: this.#clock.now() });
  }

  /** True if the first byte may be sent now. A suspended machine stops one of the two clocks, so the larger one counts. */
  mayStart(name: string): boolean {
    const asked = this.#asked.get(name);
    if (asked === undefined) return false;
    const elapsed = this.#clock.elapsed() - asked.elapsed;
    const passed = Math.max(elapsed, Math.abs(this.#clock.now() - asked.now));
    return passed <= maxDelayMs;
  }

  /** Call when nothing more is sent under this name. */
  over(name: string): void {
    this.#asked.delete(name);
  }
}
