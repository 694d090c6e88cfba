// The patience of a coordinator with its database: it says once that it waits.

import type { OpenEngine } from './open-database.ts';
import type { Patience } from './patience.ts';

export interface PatienceContext extends Pick<Patience, 'clock' | 'quit'> {
  readonly onWarning: (message: string) => void;
}

export function patienceWith(
  { address }: Pick<OpenEngine, 'address'>,
  { clock, quit, onWarning }: PatienceContext,
): Patience {
  let away = false;
  const onAway = (): void => {
    if (!away) onWarning(`the database ${address.shown} is away: waiting for it`);
    away = true;
  };
  return { clock, quit, onAway };
}
