// Virtual time: it passes only when nothing else can happen, so a story of days takes milliseconds, and a run that waits
// for what never comes is found at once.
import type { Clock } from '../../src/core/ports.ts';

interface Sleeper {
  readonly at: number;
  readonly number: number;
  readonly wake: () => void;
}

const comesFirst = (one: Sleeper, other: Sleeper): boolean =>
  one.at < other.at || (one.at === other.at && one.number < other.number);

/** What keeps something from happening at this moment: files of the system, and turns of the event loop. */
const underWay = /^(FSReq|Immediate$)/;

/** Processes that were started and have not ended. */
const processes = (): number =>
  process.getActiveResourcesInfo().filter((what) => what === 'ProcessWrap').length;

/** What is looked for again in real milliseconds, and how often, before nothing counts as under way. */
const patience = { ms: 2, times: 500 };

/** No run takes so long, in milliseconds of virtual time. */
const longest = 60 * 24 * 3_600_000;

export class VirtualClock {
  /** Milliseconds since the world began. Only goes forward. */
  elapsed = 0;
  readonly #start: number;
  /** How far the clock on the wall is ahead of the true time. */
  #ahead = 0;
  readonly #sleepers: Sleeper[] = [];
  #numbers = 0;
  #driven: Promise<void> | undefined;
  readonly #waits = new Set<{ give(error: Error): void }>();
  /** Those of other tests, such as the host of commands, which stay. */
  readonly #others = processes();

  constructor(start = Date.parse('2026-08-05T10:00:00Z')) {
    this.#start = start;
  }

  /** What a clock on the wall shows, in milliseconds since 1970. */
  get now(): number {
    return this.true + this.#ahead;
  }

  /** What the clock of everybody else shows. */
  get true(): number {
    return this.#start + Math.floor(this.elapsed);
  }

  /** Sets the clock on the wall, forward or back. */
  jump(ms: number): void {
    this.#ahead += ms;
  }

  /** Nothing happens meanwhile. */
  pass(ms: number): void {
    this.elapsed += ms;
  }

  /** Resolves after this time. Returns what wakes the sleeper before. */
  wakeAfter(ms: number, wake: () => void): () => void {
    const at = this.elapsed + Math.max(0, ms);
    const sleeper: Sleeper = { at, number: this.#numbers++, wake };
    if (ms !== Number.POSITIVE_INFINITY) this.#put(sleeper);
    return () => {
      const index = this.#sleepers.indexOf(sleeper);
      if (index >= 0) this.#sleepers.splice(index, 1);
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => void this.wakeAfter(ms, wake));
  }

  /** The last one wakes first. */
  #put(sleeper: Sleeper): void {
    let at = this.#sleepers.length;
    for (; at > 0; at--) {
      const other = this.#sleepers[at - 1];
      if (other === undefined || comesFirst(sleeper, other)) break;
    }
    this.#sleepers.splice(at, 0, sleeper);
  }

  /** Lets time pass until `work` is over. An error if it never will be. */
  async until<T>(work: Promise<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const wait = { give: reject };
      this.#waits.add(wait);
      const over = (): void => void this.#waits.delete(wait);
      work.finally(over).then(resolve, reject);
      this.#driven ??= this.#drive().finally(() => {
        this.#driven = undefined;
      });
    });
  }

  /** Nothing goes on any more: a world that is left behind would keep others from having peace. */
  stop(): void {
    this.#waits.clear();
    this.#sleepers.length = 0;
  }

  async #drive(): Promise<void> {
    let idle = 0;
    const began = this.elapsed;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#waits.size === 0) return;
      if (process.getActiveResourcesInfo().some((what) => underWay.test(what))) continue;
      if (processes() > this.#others) continue;
      const first = this.#sleepers.pop();
      if (this.elapsed - began > longest)
        for (const wait of this.#waits) wait.give(new Error('it goes on for ever'));
      else if (first !== undefined) {
        idle = 0;
        this.elapsed = Math.max(this.elapsed, first.at);
        first.wake();
      } else if (idle++ < patience.times)
        await new Promise((resolve) => setTimeout(resolve, patience.ms));
      else for (const wait of this.#waits) wait.give(new Error('it waits for what never comes'));
    }
  }
}

/** The clock of one process, which may be killed: then nobody wakes any more. */
export class ProcessClock implements Clock {
  readonly #clock: VirtualClock;
  readonly #chance: () => number;
  readonly #isKilled: () => boolean;

  constructor(clock: VirtualClock, chance: () => number, isKilled: () => boolean) {
    this.#clock = clock;
    this.#chance = chance;
    this.#isKilled = isKilled;
  }

  now(): number {
    return this.#clock.now;
  }

  elapsed(): number {
    return this.#clock.elapsed;
  }

  chance(): number {
    return this.#chance();
  }

  sleep(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
    if (signals.some(({ aborted }) => aborted)) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        for (const signal of signals) signal.removeEventListener('abort', onAbort);
        if (!this.#isKilled()) resolve();
      };
      const onAbort = (): void => {
        cancel();
        wake();
      };
      const cancel = this.#clock.wakeAfter(ms, wake);
      for (const signal of signals) signal.addEventListener('abort', onAbort);
    });
  }
}

/** Random numbers that a seed decides: 0 ≤ number < 1. */
export function chances(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
