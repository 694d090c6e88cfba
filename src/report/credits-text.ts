// Credits in words, the same everywhere: what was charged, what came back, and what that leaves.
import type { Account } from '../journal/ledger.ts';

/** `20 charged`, or `30 charged, 10 refunded, 20 net`, and what is in doubt. */
export function creditsText({ charged, refunded, reserved }: Account): string {
  const back = refunded > 0 ? `, ${refunded} refunded, ${charged - refunded} net` : '';
  const open = reserved > 0 ? `, ${reserved} in doubt` : '';
  return `${charged} charged${back}${open}`;
}
