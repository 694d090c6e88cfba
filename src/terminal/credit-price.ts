// What a credit costs this user: a variable, or the account's plan.
import { creditDollarsOn } from '../contract/api/tier.ts';
import { type Problem, problem } from '../language/load/problem.ts';
import type { RunEvent } from '../run/run-event.ts';

/** The user's own price of a credit in US dollars: a subscription costs less than credits by use. */
export function ownCreditDollars(): number | undefined {
  const { SHOTLIST_CREDIT_PRICE: text = '' } = process.env;
  return isPrice(text) ? Number(text) : undefined;
}

/** Undefined if the variable is not set, or holds a price. */
export function wrongCreditPrice(): Problem | undefined {
  const { SHOTLIST_CREDIT_PRICE: text = '' } = process.env;
  if (text === '' || isPrice(text)) return undefined;
  return problem(
    'SHOTLIST_CREDIT_PRICE is not a price in US dollars',
    'shotlist',
    'write the price of one credit as a number, such as 0.0012',
  );
}

const isPrice = (text: string): boolean => /^\d{1,6}(\.\d{1,9})?$/.test(text);

/** Learns the price of a credit from the events of a run. A rehearsal costs nothing, so there is none. */
export class CreditPrice {
  #rehearsal = false;
  #dollars: number | undefined;

  hear(event: RunEvent): void {
    if (event.type === 'started') this.#rehearsal = event.rehearsal;
    if (event.type === 'account') this.#dollars = creditDollarsOn(event.tier);
  }

  /** In US dollars; undefined if it is not known. */
  get dollars(): number | undefined {
    return this.#rehearsal ? undefined : (ownCreditDollars() ?? this.#dollars);
  }
}
