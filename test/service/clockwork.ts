// A clock that stands still until a test lets time pass.
import type { ServiceOptions } from '../../src/service/start.ts';
import { eventually } from './client.ts';

export interface Clockwork {
  readonly options: Required<Pick<ServiceOptions, 'now' | 'after'>>;
  /** Lets milliseconds pass, and wakes who waited for them, in their order. */
  pass(ms: number): void;
  /** Waits, in real time, until somebody sleeps for so long: `asked` gets the milliseconds still to pass. */
  until(asked: (ms: number) => boolean): Promise<void>;
}

export function clockwork(start = Date.parse('2026-11-21T12:00:00Z')): Clockwork {
  let now = start;
  let sleepers: { readonly at: number; readonly then: () => void }[] = [];
  return {
    options: {
      now: () => now,
      after: (ms, then) => {
        const sleeper = { at: now + Math.max(0, ms), then };
        sleepers.push(sleeper);
        return () => {
          sleepers = sleepers.filter((one) => one !== sleeper);
        };
      },
    },
    pass: (ms) => {
      const end = now + ms;
      for (;;) {
        const [next] = sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        sleepers = sleepers.filter((one) => one !== next);
        now = Math.max(now, next.at);
        next.then();
      }
      now = end;
    },
    until: async (asked) => {
      await eventually(
        'somebody sleeps for that long',
        async () => sleepers.some(({ at }) => asked(at - now)) || undefined,
      );
    },
  };
}
