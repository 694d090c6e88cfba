// Credits in words, the same everywhere: what was charged, what came back, and what that leaves.
import type { CreditTotals } from '../journal/ledger.ts';

/** `20 charged`, or `30 charged, 10 refunded, 20 net`. `open`: what the reserved ones are called, if there are any. */
export function creditsText(
  { charged, refunded, reserved }: CreditTotals,
  open: 'in doubt' | 'set aside' = 'in doubt',
): string {
  const back = refunded > 0 ? `, ${refunded} refunded, ${charged - refunded} net` : '';
  return `${charged} charged${back}${reserved > 0 ? `, ${reserved} ${open}` : ''}`;
}
