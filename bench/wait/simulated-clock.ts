// A clock on which only sleeps take time: when nobody can do anything more, it goes on to the next moment that somebody waits for.
import { setImmediate as turn } from 'node:timers/promises';
import { chanceOf } from '../../src/base/chance.ts';
import type { Clock } from '../../src/core/ports.ts';

export class SimulatedClock implements Clock {
  readonly chance = chanceOf(1, 0);
  /** Moments and who wakes then; the next one is last. */
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  #elapsed = 0;

  now(): number {
    return 1_800_000_000_000 + this.#elapsed;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  sleep(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
    if (signals.some(({ aborted }) => aborted)) return Promise.resolve();
    return new Promise((resolve) => {
      const onAbort = (): void => wake();
      const wake = (): void => {
        for (const signal of signals) signal.removeEventListener('abort', onAbort);
        resolve();
      };
      for (const signal of signals) signal.addEventListener('abort', onAbort);
      this.at(this.#elapsed + ms, wake);
    });
  }

  /** Calls `wake` at this moment, by `elapsed`. */
  at(at: number, wake: () => void): void {
    let [low, high] = [0, this.#sleepers.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sleepers[middle]?.at ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    this.#sleepers.splice(low, 0, { at, wake });
  }

  /** Lets time go by until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    work.then(end, end);
    for (;;) {
      await turn();
      if (isOver) return await work;
      const next = this.#sleepers.pop();
      if (next === undefined) throw new Error('bug: everybody waits for nothing');
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.wake();
    }
  }
}
