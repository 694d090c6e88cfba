// A clock that stands still until a test lets time pass.
import type { ServiceOptions } from '../../src/service/start.ts';
import { eventually } from './client.ts';

export interface Clockwork {
  /** Milliseconds since 1970. */
  now(): number;
  readonly options: Required<Pick<ServiceOptions, 'now' | 'after'>>;
  /** Lets milliseconds pass, and wakes who waited for them, in their order. */
  pass(ms: number): void;
  /** Moves on to the next moment that somebody waits for, if there is one. */
  tick(): void;
  /** Waits, in real time, until somebody sleeps for so long: `asked` gets the milliseconds still to pass. */
  until(asked: (ms: number) => boolean): Promise<void>;
}

export function clockwork(start = Date.parse('2026-11-21T12:00:00Z')): Clockwork {
  let now = start;
  let sleepers: { readonly at: number; readonly then: () => void }[] = [];
  /** False when nobody waits for a moment up to `end`. */
  const wakeNext = (end: number): boolean => {
    const [next] = sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    if (next === undefined) return false;
    sleepers = sleepers.filter((one) => one !== next);
    now = Math.max(now, next.at);
    next.then();
    return true;
  };
  return {
    now: () => now,
    options: {
      now: () => now,
      after: (ms, then) => {
        // Whole milliseconds, as a real clock has them.
        const sleeper = { at: Math.ceil(now + Math.max(0, ms)), then };
        sleepers.push(sleeper);
        return () => {
          sleepers = sleepers.filter((one) => one !== sleeper);
        };
      },
    },
    pass: (ms) => {
      const end = now + ms;
      while (wakeNext(end));
      now = end;
    },
    tick: () => void wakeNext(Number.POSITIVE_INFINITY),
    until: async (asked) => {
      await eventually(
        'somebody sleeps for that long',
        async () => sleepers.some(({ at }) => asked(at - now)) || undefined,
      );
    },
  };
}
