// What a credit costs this user: a variable, or the account's plan.
import { problem, Refusal } from '../language/load/refusal.ts';
import type { LiveFacts } from '../views/live/live-facts.ts';

/** The user's own price of a credit in US dollars: a subscription costs less than credits by use. */
export function ownCreditDollars(): number | undefined {
  const { SHOTLIST_CREDIT_PRICE: text = '' } = process.env;
  return isPrice(text) ? Number(text) : undefined;
}

/** Refuses a variable that holds no price. */
export function checkCreditPrice(): void {
  const { SHOTLIST_CREDIT_PRICE: text = '' } = process.env;
  if (text === '' || isPrice(text)) return;
  throw new Refusal(
    problem(
      'SHOTLIST_CREDIT_PRICE is not a price in US dollars',
      'shotlist',
      'write the price of one credit as a number, such as 0.0012',
    ),
  );
}

const isPrice = (text: string): boolean => /^\d{1,6}(\.\d{1,9})?$/.test(text);

/** The user's own price, if there is one. A rehearsal costs nothing, so there is none. */
export const withOwnPrice = (live: LiveFacts): LiveFacts => ({
  ...live,
  creditDollars: live.rehearsal ? undefined : (ownCreditDollars() ?? live.creditDollars),
});
