// Credits in money, where the price of a credit is known.
import { grouped } from '../../contract/base/grouped.ts';

/** `dollars`: of one credit. `$2.86`, `$1,234`, `less than $0.01`. */
export function moneyText(credits: number, dollars: number): string {
  const sum = cents(credits * dollars) / 100;
  if (credits * dollars === 0) return '$0';
  if (credits * dollars < 0.01) return 'less than $0.01';
  return sum < 1000 ? `$${sum.toFixed(2)}` : `$${grouped(Math.round(sum))}`;
}

/** Half a cent is rounded up: without the digits behind, 0.075 is a little less than that. */
const cents = (sum: number): number => Math.round(Number((sum * 100).toPrecision(12)));
