// Credits as text, the same everywhere: charged, refunded and net.
import type { CreditTotals } from '../model/ledger.ts';

/**
 * `20 charged`, or `30 charged, 10 refunded, 20 net`. `open` is the name of the reserved credits,
 * if there are any.
 */
export function creditsText(
  { charged, refunded, reserved }: CreditTotals,
  open: 'in doubt' | 'set aside' = 'in doubt',
): string {
  const back = refunded > 0 ? `, ${refunded} refunded, ${charged - refunded} net` : '';
  return `${charged} charged${back}${reserved > 0 ? `, ${reserved} ${open}` : ''}`;
}
