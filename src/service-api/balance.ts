// The account's balance, for comparison with the cost of the plan.
import { explainFailure } from '../contract/api/failure.ts';
import type { Plan } from '../plan/plan.ts';
import type { MediaApi } from '../run/jobs/ports.ts';

export interface Balance {
  /** Credits; undefined if the deployment does not report them, or if the plan costs nothing. */
  readonly credits?: number;
  readonly tier?: string;
  readonly warning?: string;
}

/** True if the plan may cost something. */
export const pays = ({ credits, unpriced }: Plan): boolean => credits > 0 || unpriced > 0;

/** For a plan that costs nothing, the balance does not matter. */
export function balanceOf(plan: Plan, account: Awaited<ReturnType<MediaApi['account']>>): Balance {
  if (!pays(plan)) return {};
  if (!account.ok)
    return { warning: `the account's balance could not be read: ${explainFailure(account.error)}` };
  if (account.value === undefined) return {};
  const { credits: balance, tier } = account.value;
  const known = { credits: balance, tier };
  if (plan.credits <= balance) return known;
  const warning = `the plan may take ${plan.credits} credits and the account has ${balance}: the run stops when the balance is used up`;
  return { ...known, warning };
}
