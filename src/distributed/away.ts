// The database is away: it cannot be reached, or it went away in the middle of a call. Whether that call took effect is
// not known, so every call of an order store may be repeated.
import type { Clock } from '../run/jobs/ports.ts';
import { backoffAfter } from '../run/jobs/retry.ts';

export class DatabaseAway extends Error {
  readonly code = 'DATABASE_AWAY';
}

/** For a call that is not worth waiting for: undefined if the database is away. Any other error is thrown. */
export async function unlessAway<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof DatabaseAway) return undefined;
    throw error;
  }
}

export interface Patience {
  readonly clock: Clock;
  /** If it is aborted, the last error is thrown instead of waiting. */
  readonly quit: AbortSignal;
  /** Called before each pause. */
  readonly onAway?: ((error: DatabaseAway) => void) | undefined;
}

const firstPauseMs = 100;
const maxPauseMs = 3_000;

/** Repeats a call while the database is away. Everything else that a call throws is a bug, or the end of a term. */
export async function retryWhileAway<T>(
  { clock, quit, onAway }: Patience,
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof DatabaseAway) || quit.aborted) throw error;
      onAway?.(error);
      const pause = Math.min(maxPauseMs, backoffAfter(tries, firstPauseMs, clock.chance()));
      await clock.sleep(pause, quit);
    }
  }
}

interface PatienceContext extends Pick<Patience, 'clock' | 'quit'> {
  readonly onWarning: (message: string) => void;
}

/** The patience of a coordinator with its database: it says once that it waits. */
export function patienceWith(
  { address }: { readonly address: { readonly shown: string } },
  { clock, quit, onWarning }: PatienceContext,
): Patience {
  let away = false;
  const onAway = (): void => {
    if (!away) onWarning(`the database ${address.shown} is away: waiting for it`);
    away = true;
  };
  return { clock, quit, onAway };
}
