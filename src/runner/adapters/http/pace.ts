// Keeps requests to so many a minute, evenly, when the pipeline asks for it.
import type { Clock } from '../../run/jobs/ports.ts';

/** Waits for this request's turn. */
export type Pace = () => Promise<void>;

/** When `stop` is aborted, nothing is waited for any more. */
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
