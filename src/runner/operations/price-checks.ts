// What is said and refused about money before a run begins: prices that are not known, the budget, the balance.
import { explainFailure } from '../../contract/api/failure.ts';
import { isTier } from '../../contract/api/tier.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import type { Plan, PlanRow } from '../plan/plan.ts';
import type { PlanFindings } from '../plan/plan-findings.ts';
import type { MediaApi } from '../run/jobs/ports.ts';
import type { LoadedPipeline } from './pipeline/load.ts';

/** The smaller of two budgets; undefined: there is none. */
export const smaller = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

interface Terms {
  readonly budget: number | undefined;
  readonly rehearsal: boolean;
}

/** Promise 3: with a budget, and in a rehearsal, which must say the hosted bill, no price is ever taken as zero. */
export function refuseUnpriced(
  plan: Plan,
  { budget, rehearsal }: Terms,
  { pipeline, file }: LoadedPipeline,
): readonly Diagnostic[] {
  const capped = budget !== undefined || pipeline.budget.perItem !== undefined;
  if (plan.unpriced === 0 || !(capped || rehearsal)) return [];
  const because = capped ? 'there is a budget, and the' : 'a rehearsal needs every price, and the';
  return plan.rows
    .filter((row) => row.unpriced > 0)
    .map((row) => ({
      severity: 'error',
      file,
      span: pipeline.source.keySpanOf(['steps', row.step]),
      message: `${because} price of "${row.step}" (${row.kind}) is not known`,
      hint: `${reasonFor(row, plan)}set an upper bound under the step: estimate: <credits>`,
    }));
}

function reasonFor({ step, kind }: PlanRow, { unpricedWhy }: Plan): string {
  const prefix = `${step} (${kind}): `;
  const why = unpricedWhy.find((reason) => reason.startsWith(prefix));
  return why === undefined ? '' : `${why.slice(prefix.length)}; or `;
}

/** The account's plan has not what a step asks for: the service would refuse it. */
export function refuseBeyondPlan(
  findings: PlanFindings,
  tier: string | undefined,
  { pipeline, file }: LoadedPipeline,
): readonly Diagnostic[] {
  if (tier === undefined || !isTier(tier)) return [];
  return [...findings.refusedOn(tier)].map(([step, { field, message }]) => ({
    severity: 'error',
    file,
    span: pipeline.source.spanOf(['steps', step, 'with', ...field.split('.')]),
    message: `step "${step}": ${message}`,
    hint: `the account is on the ${tier} plan: change the value, or the plan`,
  }));
}

/** The largest `estimate:` of each tool's steps: what a rehearsal charges where no price is published. */
export function statedPrices({ pipeline }: LoadedPipeline): ReadonlyMap<string, number> {
  const stated = new Map<string, number>();
  for (const { kind, estimate } of pipeline.steps)
    if (estimate !== undefined)
      stated.set(kind.name, Math.max(estimate, stated.get(kind.name) ?? 0));
  return stated;
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
