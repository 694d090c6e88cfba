// Makes the plan that `plan` tells of.
import { Redactor } from '../../base/redactor.ts';
import { CalendarBudget, calendarCaps } from '../../core/calendar-budget.ts';
import { envUses } from '../../core/env-uses.ts';
import { planWordText } from '../../core/plan-digest.ts';
import type { Clock } from '../../core/ports.ts';
import { Reasons } from '../../core/why.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { refusedKey, resultOf } from '../../language/load/refusal.ts';
import { Ledger } from '../../model/record/ledger.ts';
import { balanceOf, checkService } from '../../service-api/check-service.ts';
import { rehearsalTier } from '../../service-api/connect-service.ts';
import { secretsIn } from '../../service-api/secrets.ts';
import type { Target, Unasked } from '../../service-api/target.ts';
import { chooseStore } from '../../stores/open-store.ts';
import type { RunInternals } from '../internals.ts';
import { paidTask } from '../planning/paid-already.ts';
import { openPlanning } from '../planning/planning.ts';
import { readPlan } from '../planning/reading.ts';
import { noticesOf, refusalsOf } from '../planning/refusals.ts';
import { countOrphans } from '../prune/orphans.ts';
import { type PlanReferences, referencesTo } from '../prune/references.ts';
import { refuse } from '../refuse.ts';
import { type Planned, type PlanOptions, UnrunnablePlan } from './planned.ts';

export async function planOf(
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
  const since = new Date(clock.now()).toISOString();
  let references: PlanReferences | undefined;
  let reasons = new Reasons(new Ledger());
  await using planning = await openPlanning(bound, target, options, {
    ...{ access: 'plan', env, clock, internals },
    redactor: new Redactor(secretsIn(env)),
    onWarning: (message) => void warnings.push(message),
    see: async ({ ledger, opened, disk }) => {
      const jobs = opened.state.ledger;
      const anew = await referencesTo(jobs, bound, disk);
      return () => {
        const refers = anew();
        references = refers;
        reasons = new Reasons(ledger, options.explain);
        return (task, end) => {
          reasons.see(task, end);
          refers.see(task, end);
        };
      };
    },
  });
  const { planned, ledger, boundary, paths, receipts, setting } = planning;
  const { plan } = planned;
  const rehearsal = target.kind === 'rehearsal';
  const redactor = new Redactor(secretsIn(env));
  const asked = { redactor, clock, signal: undefined, asleep: false, api: internals.api };
  const chosen = resultOf(() => chooseStore(bound, { target, env, paths, ...options }));
  if (chosen.ok && chosen.value?.kind === 'folder' && chosen.value.note !== undefined)
    warnings.push(chosen.value.note);
  const checked = await resultOf(async () =>
    target.kind === 'hosted' ? await checkService(target, plan, asked) : {},
  );
  const { account = undefined } = checked.ok ? checked.value : {};
  const isRefused = account?.ok === false && account.error.reason === 'unauthorized';
  const balance = account === undefined || isRefused ? undefined : balanceOf(plan, account);
  const tier = rehearsal ? rehearsalTier : balance?.tier;
  const diagnostics = [
    ...(target.kind === 'unasked' ? target.why.diagnostics : []),
    ...(chosen.ok ? [] : chosen.error.diagnostics),
    ...refusalsOf(planning, tier, rehearsal),
  ];
  const calendar = new CalendarBudget(calendarCaps(bound.pipeline)).at(clock.now(), ledger);
  warnings.push(...noticesOf(planning, options.budget, calendar));
  const reading = await readPlan(planning, reasons, {
    tier,
    balance: balance?.credits,
    rehearsal,
    now: clock.now(),
  });
  const { explain } = options;
  const { explanation, explainedJob: job } = reasons;
  const paid = job === undefined ? undefined : paidTask(job, receipts, ledger, setting.facts);
  if (explain !== undefined && explanation === undefined)
    refuse(
      `--explain ${explain}: the plan has no such task`,
      'write the name of a step, or step:item, such as swap:IMG_0412.jpg',
    );
  const { opened, items, disk, excluded } = planning;
  const orphans =
    references === undefined || options.reroll !== undefined
      ? undefined
      : await countOrphans(
          { bound, paths, items, disk, excluded, references, ledger: opened.state.ledger },
          rehearsal,
        );
  const result: Planned = {
    plan,
    digest: planWordText(planning.digest.word(plan, ledger, paths.serviceName, since)),
    ...reading,
    explanation: explanation && { ...explanation, paid },
    orphans,
    calendar,
    service: rehearsal ? undefined : target.address,
    balance,
    warnings,
    rehearsal,
    env: envUses(bound.pipeline),
    outside: boundary.outside,
    state: paths.state,
  };
  if (diagnostics.length > 0)
    throw new UnrunnablePlan({ reason: 'input', diagnostics, text: bound.text }, result);
  if (!checked.ok) throw new UnrunnablePlan(checked.error, result);
  if (isRefused) throw new UnrunnablePlan(refusedKey('plan'), result);
  return result;
}
