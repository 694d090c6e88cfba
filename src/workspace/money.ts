// What is said and refused about money before a run begins: prices that are not known, the budget, the balance.
import { explainFailure } from '../api/failure.ts';
import type { Diagnostic } from '../language/diagnostic.ts';
import type { Plan } from '../plan/plan.ts';
import type { MediaApi } from '../run/ports.ts';
import type { LoadedPipeline } from './load.ts';

/** The smaller of two budgets; undefined: there is none. */
export const smaller = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** Promise 3: with a budget, no price is ever taken as zero. */
export function refuseUnpriced(
  plan: Plan,
  budget: number | undefined,
  { pipeline, file }: LoadedPipeline,
): readonly Diagnostic[] {
  if (plan.unpriced === 0 || (budget === undefined && pipeline.budget.perItem === undefined))
    return [];
  return plan.rows
    .filter((row) => row.unpriced > 0)
    .map((row) => ({
      severity: 'error',
      file,
      span: pipeline.source.keySpanOf(['steps', row.step]),
      message: `there is a budget, and the price of "${row.step}" (${row.kind}) is not known`,
      hint: `say an upper bound: estimate: <credits>. ${plan.unpricedWhy.find((why) => why.startsWith(row.step)) ?? ''}`.trim(),
    }));
}

export interface Balance {
  /** Credits; undefined: this deployment does not tell, or there is nothing to pay. */
  readonly credits?: number;
  readonly tier?: string;
  readonly warning?: string;
}

/** Asked for only where there is something to pay, before anything is bought. */
export async function balanceFor(plan: Plan, api: MediaApi): Promise<Balance> {
  return pays(plan) ? balanceOf(plan, await api.account()) : {};
}

const pays = ({ credits, unpriced }: Plan): boolean => credits > 0 || unpriced > 0;

/** The same of an account that was asked for already. */
export function balanceOf(plan: Plan, account: Awaited<ReturnType<MediaApi['account']>>): Balance {
  if (!pays(plan)) return {};
  if (!account.ok)
    return { warning: `the account’s balance could not be read: ${explainFailure(account.error)}` };
  if (account.value === undefined) return {};
  const { credits: balance, tier } = account.value;
  const known = { credits: balance, ...(tier === undefined ? {} : { tier }) };
  if (plan.credits <= balance) return known;
  const warning = `the plan may take ${plan.credits} credits and the account has ${balance}: the run stops when they are used up`;
  return { ...known, warning };
}
