// A ledger that comes from a database has no bytes of a state file.
import type { Loaded } from '../state/load-state.ts';

export const unread: Omit<Loaded, 'ledger' | 'header'> = {
  ...{ warnings: [], wholeBytes: 0, unterminated: false, content: undefined },
};
