// What a state file has cost, in credits.
import type { Ledger } from './record/ledger.ts';

export interface CreditTotals {
  readonly charged: number;
  readonly refunded: number;
  /** Set aside for creations that were begun and whose charge is unknown, including those in doubt. */
  readonly reserved: number;
}

/** A charge in the record has its refund taken off. */
export function creditTotals(ledger: Pick<Ledger, 'totals'>): CreditTotals {
  const { charged, reserved } = ledger.totals();
  return { charged, refunded: 0, reserved };
}
