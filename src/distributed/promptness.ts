// A creation is sent soon after its intent was committed, or not at all. A process that was frozen in between would send when
// everybody else believes that it is dead.
import type { Clock } from '../core/ports.ts';

/** From the commit of an intent to the first byte of the request. */
const maxDelayMs = 8_000;

export class Promptness {
  readonly #clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly #intents = new Map<string, { readonly now: number; readonly elapsed: number }>();

  constructor(clock: Pick<Clock, 'now' | 'elapsed'>) {
    this.#clock = clock;
  }

  /** The intent to send the creation with this name is about to be committed. */
  intends(name: string): void {
    if (this.#intents.has(name)) return;
    this.#intents.set(name, { now: this.#clock.now(), elapsed: this.#clock.elapsed() });
  }

  /** Asked once, right before the first byte. A suspended machine stops one of the two clocks, so the larger one counts. */
  isInTime(name: string): boolean {
    const intent = this.#intents.get(name);
    this.#intents.delete(name);
    if (intent === undefined) return false;
    const passed = Math.abs(this.#clock.now() - intent.now);
    return Math.max(passed, this.#clock.elapsed() - intent.elapsed) <= maxDelayMs;
  }
}
