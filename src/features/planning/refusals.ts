// What limits a run, and why it must not begin: unknown prices, and values that the account's plan does not include.
import { isTier } from '../../contract/api/tier.ts';
import type { Complaint, Diagnostic } from '../../contract/yaml/diagnostic.ts';
import type { CalendarLimit } from '../../core/calendar-budget.ts';
import type { Refused } from '../../core/findings.ts';
import { owedText } from '../../core/owed.ts';
import type { Plan, PlanRow } from '../../core/plan-table.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { behindText } from '../../views/calendar-text.ts';
import type { Planning } from './planning.ts';

/** What a person should know of a plan before it is paid for. `calendar`: what the caps of the day and the month leave. */
export const noticesOf = (
  { planned, bound }: Pick<Planning, 'planned' | 'bound'>,
  budget: number | undefined,
  calendar: readonly CalendarLimit[],
): readonly string[] =>
  [owedText(planned.owed), overruledText(budget, bound), behindText(calendar)].filter(
    (text) => text !== undefined,
  );

/** Says which of two budgets holds, if a flag asks for more than the file allows; undefined if the flag holds. */
function overruledText(
  flag: number | undefined,
  { pipeline, file }: BoundPipeline,
): string | undefined {
  const { credits } = pipeline.budget;
  if (flag === undefined || credits === undefined || flag <= credits) return undefined;
  return `--budget ${flag} changes nothing: budget.credits in ${file} allows ${credits}; to spend more, raise it there`;
}

/** Why a run must not begin. `tier`: the account's plan, if it is known. */
export const refusalsOf = (
  { bound, planned, problems, caps }: Planning,
  tier: string | undefined,
  rehearsal: boolean,
): readonly Complaint[] => [
  ...problems,
  ...refuseUnpriced(planned.plan, caps.run, rehearsal, bound),
  ...refuseBeyondPlan(planned.tiers, tier, bound),
];

/** Promise 3: with a budget, and in a rehearsal, which must show the hosted bill, an unknown price never counts as zero. */
function refuseUnpriced(
  plan: Plan,
  budget: number | undefined,
  rehearsal: boolean,
  { pipeline, file }: BoundPipeline,
): readonly Diagnostic[] {
  const { perItem, perDay, perMonth } = pipeline.budget;
  const capped = [budget, perItem, perDay, perMonth].some((cap) => cap !== undefined);
  if (plan.unpriced === 0 || !(capped || rehearsal)) return [];
  const because = capped ? 'there is a budget, and the' : 'a rehearsal needs every price, and the';
  return plan.rows
    .filter((row) => row.unpriced > 0)
    .map((row) => ({
      severity: 'error',
      code: 'SL602',
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

/** A step asks for something that the account's plan does not include, so the service would refuse it. */
export function refuseBeyondPlan(
  refused: Refused,
  tier: string | undefined,
  { pipeline, file }: BoundPipeline,
): readonly Diagnostic[] {
  if (tier === undefined || !isTier(tier)) return [];
  return [...(refused.get(tier) ?? [])].map(([step, { field, message }]) => ({
    severity: 'error',
    code: 'SL603',
    file,
    span: pipeline.source.spanOf(['steps', step, 'with', ...field.split('.')]),
    message: `step "${step}": ${message}`,
    hint: `the account is on the ${tier} plan: change the value, or the plan`,
  }));
}

/** The largest `estimate:` of each tool's steps: a rehearsal charges it if no price is published. */
export function statedPrices({ pipeline }: BoundPipeline): ReadonlyMap<string, number> {
  const stated = new Map<string, number>();
  for (const { kind, estimate } of pipeline.steps)
    if (estimate !== undefined)
      stated.set(kind.name, Math.max(estimate, stated.get(kind.name) ?? 0));
  return stated;
}
