// Events that are about one attempt of a creation: they carry its name to the database, which refuses them for another one.
import type { NewEvent } from '../model/line.ts';

export const isOfAttempt = ({ event }: NewEvent): boolean =>
  event === 'created' || event === 'doubt' || event === 'settled';
