// The real clock and random numbers.
import type { Clock } from './ports.ts';

// All sleeps of a clock on one timer of Node's: fifty thousand waiting projects cost a heap, not fifty thousand timers, and a
// signal that all of them listen to has one listener.

interface Sleeper {
  /** When to wake, by the caller's clock, in milliseconds. */
  readonly at: number;
  readonly signals: readonly AbortSignal[];
  readonly wake: () => void;
  /** Its index in the heap. */
  place: number;
}

/** Those who wake when a signal is aborted. */
interface Audience {
  readonly sleepers: Set<Sleeper>;
  readonly onAbort: () => void;
}

/** Node fires a longer timer at once. */
const maxTimerMs = 2 ** 31 - 1;

export class Sleepers {
  /** A binary heap: whoever wakes first is at its top. */
  readonly #heap: Sleeper[] = [];
  readonly #audiences = new Map<AbortSignal, Audience>();
  readonly #now: () => number;
  #timer: { readonly at: number; readonly handle: NodeJS.Timeout } | undefined;

  /** `now`: milliseconds that only go forward. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get count(): number {
    return this.#heap.length;
  }

  /** Resolves after this many milliseconds, or as soon as one of the signals is aborted. */
  sleep(ms: number, signals: readonly AbortSignal[]): Promise<void> {
    if (signals.some(({ aborted }) => aborted)) return Promise.resolve();
    return new Promise((wake) => {
      const sleeper = { at: this.#now() + (ms > 0 ? ms : 0), signals, wake, place: 0 };
      for (const signal of signals) this.#listen(signal).sleepers.add(sleeper);
      this.#put(sleeper, this.#heap.length);
      this.#rise(sleeper);
      this.#arm();
    });
  }

  #listen(signal: AbortSignal): Audience {
    const known = this.#audiences.get(signal);
    if (known !== undefined) return known;
    const sleepers = new Set<Sleeper>();
    const onAbort = (): void => {
      for (const sleeper of sleepers) this.#wake(sleeper);
      this.#arm();
    };
    const audience = { sleepers, onAbort };
    signal.addEventListener('abort', onAbort);
    this.#audiences.set(signal, audience);
    return audience;
  }

  #wake(sleeper: Sleeper): void {
    this.#remove(sleeper);
    for (const signal of sleeper.signals) {
      const audience = this.#audiences.get(signal);
      audience?.sleepers.delete(sleeper);
      if (audience?.sleepers.size !== 0) continue;
      signal.removeEventListener('abort', audience.onAbort);
      this.#audiences.delete(signal);
    }
    sleeper.wake();
  }

  /** Sets the timer for the first sleeper; none without sleepers, so that the process can end. */
  #arm(): void {
    const first = this.#heap[0]?.at;
    if (this.#timer?.at === first) return;
    clearTimeout(this.#timer?.handle);
    this.#timer = undefined;
    if (first === undefined) return;
    const ms = Math.min(maxTimerMs, Math.max(1, Math.ceil(first - this.#now())));
    this.#timer = { at: first, handle: setTimeout(() => this.#ring(), ms) };
  }

  #ring(): void {
    this.#timer = undefined;
    // Node counts whole milliseconds, so its timer may be early by a part of one.
    const now = this.#now() + 1;
    for (let first = this.#heap[0]; first !== undefined && first.at < now; first = this.#heap[0])
      this.#wake(first);
    this.#arm();
  }

  #remove({ place }: Sleeper): void {
    const last = this.#heap.pop();
    if (last === undefined || last.place === place) return;
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #put(sleeper: Sleeper, place: number): void {
    this.#heap[place] = sleeper;
    sleeper.place = place;
  }

  #rise(sleeper: Sleeper): void {
    while (sleeper.place > 0) {
      const above = this.#heap[(sleeper.place - 1) >> 1];
      if (above === undefined || above.at <= sleeper.at) return;
      this.#swap(sleeper, above);
    }
  }

  #sink(sleeper: Sleeper): void {
    for (;;) {
      const left = this.#heap[2 * sleeper.place + 1];
      const right = this.#heap[2 * sleeper.place + 2];
      const below = right !== undefined && left !== undefined && right.at < left.at ? right : left;
      if (below === undefined || below.at >= sleeper.at) return;
      this.#swap(sleeper, below);
    }
  }

  #swap(one: Sleeper, other: Sleeper): void {
    const { place } = one;
    this.#put(one, other.place);
    this.#put(other, place);
  }
}

const elapsed = (): number => performance.now();
const sleepers = new Sleepers(elapsed);

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed,
  chance: () => Math.random(),
  sleep: (ms, ...signals) => sleepers.sleep(ms, signals),
};
