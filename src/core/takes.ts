// Which take of a request counts: the one that a person picked.
import type { Ledger } from '../model/record/ledger.ts';
import type { Takes } from './ask.ts';

export function pickedTakes(ledger: Pick<Ledger, 'job' | 'takes'>): Takes {
  return {
    choose: (first) => {
      const picked = ledger.job(first)?.picked?.take ?? 1;
      const isThere =
        picked === 1 || ledger.takes(first).some(({ take }) => take?.number === picked);
      return { number: isThere ? picked : 1, isNew: false };
    },
  };
}
