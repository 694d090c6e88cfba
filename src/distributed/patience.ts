// Repeats a call while the database is away. Everything else that a call throws is a bug, or the end of a term.
import type { Clock } from '../run/jobs/ports.ts';
import { backoffAfter } from '../run/jobs/retry.ts';
import { DatabaseAway } from './away.ts';

export interface Patience {
  readonly clock: Clock;
  /** If it is aborted, the last error is thrown instead of waiting. */
  readonly quit: AbortSignal;
  /** Called before each pause. */
  readonly onAway?: ((error: DatabaseAway) => void) | undefined;
}

const firstPauseMs = 100;
const longestMs = 3_000;

export async function insistently<T>(
  { clock, quit, onAway }: Patience,
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof DatabaseAway) || quit.aborted) throw error;
      onAway?.(error);
      const pause = Math.min(longestMs, backoffAfter(tries, firstPauseMs, clock.chance()));
      await clock.sleep(pause, quit);
    }
  }
}
