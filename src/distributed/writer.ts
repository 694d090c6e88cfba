// How a coordinator signs its records.
import type { Term } from './ports.ts';

export const writerOf = ({ epoch }: Term): string => `coordinator ${epoch}`;

/** How it signs what it finds out in the database itself: its ledger has to read that, as it reads what workers record. */
export const finderOf = (term: Term): string => `${writerOf(term)}, in the database`;
