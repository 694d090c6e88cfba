// Before a run buys anything: it does what a saved plan says, or what a person has agreed to, and spends no more than that.
import { creditDollarsOn } from '../../contract/api/tier.ts';
import { plannedAction } from '../../core/findings.ts';
import { interrupted } from '../../core/journal.ts';
import { firstDifference, PlanRecord } from '../../core/plan-record.ts';
import type { Plan } from '../../core/plan-table.ts';
import type { Caps } from '../../core/spending.ts';
import type { See } from '../../core/walk.ts';
import type { Reasons } from '../../core/why.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import { pays } from '../../service-api/check-service.ts';
import type { Planning } from '../planning/planning.ts';
import { readPlan } from '../planning/reading.ts';
import { smaller } from '../planning/refusals.ts';
import { refuse } from '../refuse.ts';
import type { RunContext } from './context.ts';

/** Tells a record of each task of a plan when it ends. */
export const recordedIn =
  (record: PlanRecord): See =>
  (task, end) => {
    if (end === undefined) return;
    const { id, source = task, to, price, scope, action } = task;
    const { fingerprint } = source;
    const credits = action === 'create' ? price?.credits : undefined;
    record.add(
      {
        task: id,
        fingerprint: action === undefined || fingerprint === '' ? undefined : fingerprint,
        to,
        estimate:
          credits === undefined ? undefined : { known: true, credits: credits * scope.times },
      },
      plannedAction(task, end),
    );
  };

export interface Agreement {
  readonly caps: Caps;
  /** By the clock's `elapsed`: the time that a person thinks does not count. */
  readonly began: number;
}

/** What the plan says that is to be agreed to. */
export interface Proposal {
  readonly record: PlanRecord;
  readonly reasons: Reasons;
  /** The account's plan, if it is known. */
  readonly tier: string | undefined;
  readonly began: number;
}

export async function agree(
  { options, target, clock }: Pick<RunContext, 'options' | 'target' | 'clock'>,
  planning: Planning,
  { record, reasons, tier, began }: Proposal,
): Promise<Agreement> {
  const { bound, planned, caps, ledger, run } = planning;
  const { plan } = planned;
  const most = totalOf(plan);
  // This run may continue another one.
  const goesOn = interrupted(ledger, run.due)?.run;
  const charged = goesOn === undefined ? 0 : ledger.totals(goesOn).charged;
  const spent = charged + ledger.totals().reserved;
  const capped: Caps = {
    ...caps,
    run: most === undefined ? caps.run : smaller(caps.run, spent + most),
  };
  if (options.savedPlan !== undefined) return { caps: capped, began };
  const above = options.confirmAbove ?? bound.pipeline.confirmAbove;
  // What was paid for once is not paid for again without a yes.
  const isAgain = planning.payAgain.creations.size > 0 && pays(plan);
  const isMore = isAgain || plan.credits > above || plan.unpriced > 0 || plan.uncounted > 0;
  if (options.confirm === undefined || target.kind === 'rehearsal' || !isMore)
    return { caps, began };
  const reading = await readPlan(planning, reasons, {
    tier,
    creditDollars: creditDollarsOn(tier),
    rehearsal: false,
    now: clock.now(),
  });
  if (!(await options.confirm({ plan, reading, above, isAgain })))
    throw new Refusal({ ...problem('nothing was bought: the answer was no'), declined: true });
  let again = new PlanRecord();
  await planning.replan(() => {
    again = new PlanRecord();
    return recordedIn(again);
  });
  if (again.digest === record.digest) return { caps: capped, began: clock.elapsed() };
  const task = firstDifference(record.tasks, again.tasks);
  const what = task === undefined ? 'the plan is' : `${task} is`;
  return refuse(
    `nothing was bought: ${what} no longer as it was shown, because a file has changed meanwhile`,
    'run the command again, and look at the new plan',
  );
}

/** Undefined if nobody knows the most that the plan may take. */
const totalOf = ({ credits, unpriced, uncounted }: Plan): number | undefined =>
  unpriced > 0 || uncounted > 0 ? undefined : credits;
