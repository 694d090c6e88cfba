// The real clock and random numbers.
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../run/jobs/ports.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  chance: () => Math.random(),
  async sleep(ms, signal) {
    if (signal.aborted) return;
    try {
      await wait(ms, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  },
};
