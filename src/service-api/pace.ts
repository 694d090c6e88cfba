// Spreads requests evenly over each minute, if the pipeline limits their number.
import type { Clock } from '../run/jobs/ports.ts';

/** Waits until this request may be sent. */
export type Pace = () => Promise<void>;

/** If `stop` is aborted, all waits end. */
export function pacer(perMinute: number | undefined, clock: Clock, stop?: AbortSignal): Pace {
  if (perMinute === undefined) return async () => undefined;
  const gap = 60_000 / perMinute;
  const signal = stop ?? new AbortController().signal;
  let next = 0;
  return async () => {
    const now = clock.elapsed();
    const turn = Math.max(now, next);
    next = turn + gap;
    if (turn > now) await clock.sleep(turn - now, signal);
  };
}
