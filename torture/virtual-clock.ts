// A clock that only waits move: a month passes in seconds.
import { setImmediate as turn } from 'node:timers/promises';
import { chanceOf } from '../src/base/chance.ts';
import type { Clock } from '../src/core/ports.ts';

export class VirtualClock implements Clock {
  readonly #start: number;
  readonly #chance: () => number;
  #now: number;
  #alarm: { readonly at: number; readonly ring: () => void } | undefined;

  constructor(start: number, seed: number) {
    this.#start = start;
    this.#now = start;
    this.#chance = chanceOf(seed, 0);
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now - this.#start;
  }

  chance(): number {
    return this.#chance();
  }

  async sleep(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
    if (signals.some(({ aborted }) => aborted)) return;
    // Lets the disk and the network have their turn.
    await turn();
    this.pass(ms);
  }

  pass(ms: number): void {
    this.#now += Math.ceil(ms);
    const alarm = this.#alarm;
    if (alarm === undefined || this.#now < alarm.at) return;
    this.#alarm = undefined;
    alarm.ring();
  }

  /** Calls `ring` once, when this moment has passed. Replaces an earlier alarm. */
  at(moment: number, ring: () => void): void {
    this.#alarm = { at: moment, ring };
  }
}
