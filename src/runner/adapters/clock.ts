// The real clock and random numbers.
import type { Clock } from '../run/jobs/ports.ts';
import { Sleepers } from './sleepers.ts';

const elapsed = (): number => performance.now();
const sleepers = new Sleepers(elapsed);

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed,
  chance: () => Math.random(),
  sleep: (ms, ...signals) => sleepers.sleep(ms, signals),
};
