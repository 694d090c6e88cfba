// `plan`, by the new core.
import { Redactor } from '../../base/redactor.ts';
import { creditDollarsOn } from '../../contract/api/tier.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { refusedKey } from '../../language/load/refusal.ts';
import { CalendarBudget, calendarCaps } from '../../plan/calendar-budget.ts';
import { envUses } from '../../plan/env-uses.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import { balanceOf, checkService } from '../../service-api/check-service.ts';
import { rehearsalTier } from '../../service-api/connect-service.ts';
import { secretsIn } from '../../service-api/secrets.ts';
import type { Target, Unasked } from '../../service-api/target.ts';
import type { RunInternals } from '../internals.ts';
import { type Planned, type PlanOptions, UnrunnablePlan } from '../plan/planned.ts';
import { overruledText, refuseUnpriced } from '../planning/refusals.ts';
import { openPlanning } from './planning.ts';

export async function planWithCore(
  bound: BoundPipeline,
  target: Target | Unasked,
  options: PlanOptions,
  {
    env,
    clock,
    internals,
  }: { env: NonNullable<PlanOptions['env']>; clock: Clock; internals: RunInternals },
): Promise<Planned> {
  const warnings: string[] = [];
  await using planning = await openPlanning(bound, target, options, {
    ...{ access: 'plan', env, clock, internals, run: {} },
    redactor: new Redactor(secretsIn(env)),
    onWarning: (message) => void warnings.push(message),
  });
  const { planned, caps, ledger, boundary, paths } = planning;
  const { plan } = planned;
  const rehearsal = target.kind === 'rehearsal';
  const redactor = new Redactor(secretsIn(env));
  const asked = { redactor, clock, signal: undefined, asleep: false, api: internals.api };
  const { account } = target.kind === 'hosted' ? await checkService(target, plan, asked) : {};
  const isRefused = account?.ok === false && account.error.reason === 'unauthorized';
  const balance = account === undefined || isRefused ? undefined : balanceOf(plan, account);
  const tier = rehearsal ? rehearsalTier : balance?.tier;
  const budget = caps.run;
  const diagnostics = [
    ...(target.kind === 'unasked' ? target.why.diagnostics : []),
    ...planning.problems,
    ...refuseUnpriced(plan, { budget, rehearsal }, bound),
  ];
  const overruled = overruledText(options.budget, bound);
  if (overruled !== undefined) warnings.push(overruled);
  const dollars = creditDollarsOn(tier);
  const result: Planned = {
    plan,
    hasWork: plan.rows.some(({ tasks }) =>
      (['begin', 'maybe', 'attach', 'copy', 'store'] as const).some(
        (action) => (tasks[action] ?? 0) > 0,
      ),
    ),
    reasons: [],
    isUncapped: [budget, ...Object.values(bound.pipeline.budget)].every((cap) => cap === undefined),
    ...(budget === undefined
      ? {}
      : {
          budget,
          budgetFrom: budget === bound.pipeline.budget.credits ? 'budget.credits' : '--budget',
        }),
    ...(dollars === undefined || rehearsal ? {} : { creditDollars: dollars }),
    itemsToDo: planned.itemsToDo,
    calendar: new CalendarBudget(calendarCaps(bound.pipeline)).at(clock.now(), ledger),
    ...(rehearsal ? {} : { service: target.address }),
    ...(balance === undefined ? {} : { balance }),
    warnings,
    rehearsal,
    env: envUses(bound.pipeline),
    outside: boundary.outside,
    state: paths.state,
  };
  if (diagnostics.length > 0)
    throw new UnrunnablePlan({ reason: 'input', diagnostics, text: bound.text }, result);
  if (isRefused) throw new UnrunnablePlan(refusedKey('plan'), result);
  return result;
}
