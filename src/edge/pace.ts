// Keeps requests to so many a minute, evenly, when the pipeline asks for it.
import type { Clock } from '../run/ports.ts';

/** Waits for this request's turn. */
export type Pace = (signal?: AbortSignal) => Promise<void>;

export function pacer(perMinute: number | undefined, clock: Clock): Pace {
  if (perMinute === undefined) return async () => undefined;
  const gap = 60_000 / perMinute;
  const never = new AbortController().signal;
  let next = 0;
  return async (signal) => {
    const now = clock.now();
    const turn = Math.max(now, next);
    next = turn + gap;
    if (turn > now) await clock.sleep(turn - now, signal ?? never);
  };
}
