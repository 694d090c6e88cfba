// Credits as text, the same everywhere, and in money where the price of a credit is known.

import { grouped } from '../base/text.ts';
import type { Totals } from '../model/record/ledger.ts';

/**
 * `20 charged`, or `30 charged, 10 refunded, 20 net`: only a run knows what it saw come back. `open` is the name of the reserved
 * credits, if there are any.
 */
export function creditsText(
  { charged, refunded = 0, reserved }: Totals & { readonly refunded?: number },
  open: 'in doubt' | 'set aside' = 'in doubt',
): string {
  const back = refunded > 0 ? `, ${refunded} refunded, ${charged - refunded} net` : '';
  return `${charged} charged${back}${reserved > 0 ? `, ${reserved} ${open}` : ''}`;
}

/** `dollars`: of one credit. `$2.86`, `$1,234`, `less than $0.01`. */
export function moneyText(credits: number, dollars: number): string {
  const sum = credits * dollars;
  if (sum === 0) return '$0';
  if (sum < 0.01) return 'less than $0.01';
  return sum < 1000 ? `$${(cents(sum) / 100).toFixed(2)}` : `$${grouped(Math.round(sum))}`;
}

/** Rounds half a cent up. As a binary fraction, 0.075 is a little less than that, so its last digits are dropped first. */
const cents = (sum: number): number => Math.round(Number((sum * 100).toPrecision(12)));
