// How many looks at projects that still render a process makes: ten in any second, whoever is due first looks first. A look that finds
// its project over is not in vain and gives its turn back, so that nothing is noticed later however many projects end at once.
import { looksPerSecond } from '../../plan/look-schedule.ts';
import type { Clock } from './ports.ts';

/** One look. */
export interface Turn {
  /** Call when the look finds its project over. */
  giveBack(): void;
}

export class LookBudget {
  readonly #clock: Pick<Clock, 'elapsed' | 'sleep'>;
  readonly #secondMs: number;
  /** When each of the ten looks may be made again, by `elapsed`. */
  readonly #freeAt: number[] = Array.from({ length: looksPerSecond }, () => -Infinity);
  readonly #queue = new Set<(turn: Turn | undefined) => void>();
  #nobodyWaits: AbortController | undefined;

  /** `speedFactor`: the speed of the service relative to the hosted one. */
  constructor(clock: Pick<Clock, 'elapsed' | 'sleep'>, speedFactor: number) {
    this.#clock = clock;
    this.#secondMs = 1000 / speedFactor;
  }

  /** Resolves when a look may be made; with undefined if one of the signals is aborted before. */
  turn(signals: readonly AbortSignal[]): Promise<Turn | undefined> {
    const free = this.#queue.size === 0 ? this.#take() : undefined;
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve) => {
      const leave = (): void => go(undefined);
      const go = (turn: Turn | undefined): void => {
        this.#queue.delete(go);
        if (this.#queue.size === 0) this.#nobodyWaits?.abort();
        for (const signal of signals) signal.removeEventListener('abort', leave);
        resolve(turn);
      };
      this.#queue.add(go);
      for (const signal of signals) signal.addEventListener('abort', leave);
      if (signals.some(({ aborted }) => aborted)) leave();
      else void this.#serveInTime();
    });
  }

  #take(): Turn | undefined {
    const now = this.#clock.elapsed();
    const index = this.#freeAt.findIndex((at) => at <= now);
    if (index < 0) return undefined;
    const until = now + this.#secondMs;
    this.#freeAt[index] = until;
    const giveBack = (): void => {
      if (this.#freeAt[index] !== until) return;
      this.#freeAt[index] = now;
      this.#serve();
    };
    return { giveBack };
  }

  #serve(): void {
    for (const go of this.#queue) {
      const turn = this.#take();
      if (turn === undefined) return;
      go(turn);
    }
  }

  /** One loop at a time; a loop whose last waiter left ends at once, so that nothing keeps the process. */
  async #serveInTime(): Promise<void> {
    if (this.#nobodyWaits !== undefined) return;
    while (this.#queue.size > 0) {
      this.#nobodyWaits = new AbortController();
      const pause = Math.min(...this.#freeAt) - this.#clock.elapsed();
      if (pause > 0) await this.#clock.sleep(pause, this.#nobodyWaits.signal);
      this.#serve();
    }
    this.#nobodyWaits = undefined;
  }
}
