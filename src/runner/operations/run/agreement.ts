// Before a run buys anything: it does what a saved plan says, or what a person has agreed to, and spends no more than that.
import { creditDollarsOn } from '../../../contract/api/tier.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { committed, type Ledger } from '../../journal/ledger.ts';
import type { Plan } from '../../plan/plan.ts';
import { firstDifference, PlanRecord } from '../../plan/plan-record.ts';
import { type Problem, problem } from '../pipeline/problem.ts';
import type { Prepared } from '../planning/prepare.ts';
import { smaller } from '../planning/price-checks.ts';
import { readPlan } from '../planning/read-plan.ts';
import { staleness } from '../planning/saved-plan.ts';
import type { PreparedRun, RunContext } from './context.ts';
import { generationsOn } from './generation-limits.ts';

/** Undefined if nothing compares plans, so that a run need not look at every file twice. */
export const recordFor = ({ options }: RunContext): PlanRecord | undefined =>
  options.savedPlan === undefined && options.confirm === undefined ? undefined : new PlanRecord();

/** Why a run must not begin, although a saved plan says so. */
export function savedPlanProblem(
  { options }: RunContext,
  prepared: Prepared,
  record: PlanRecord | undefined,
): Problem | undefined {
  if (options.savedPlan === undefined || record === undefined) return undefined;
  return staleness(options.savedPlan, prepared, record);
}

export interface Agreement {
  /** Credits; undefined if there is no limit. */
  readonly budget: number | undefined;
  /** By the clock's `elapsed`: the time that a person thinks does not count. */
  readonly began: number;
}

/** `tier`: the account's plan, if it is known. */
export async function agree(
  { options, target, prepared, budget, began, clock }: PreparedRun,
  record: PlanRecord | undefined,
  tier: string | undefined,
): Promise<Result<Agreement, Problem>> {
  if (record === undefined) return ok({ budget, began });
  const { bound, planned } = prepared;
  const { plan } = planned;
  const most = totalOf(plan);
  const spent = spentBefore(prepared.state.ledger, options.runId);
  const capped = most === undefined ? budget : smaller(budget, spent + most);
  if (options.savedPlan !== undefined) return ok({ budget: capped, began });
  const above = options.confirmAbove ?? bound.pipeline.confirmAbove;
  const isMore = plan.credits > above || plan.unpriced > 0 || plan.uncounted > 0;
  if (options.confirm === undefined || target.kind === 'rehearsal' || !isMore)
    return ok({ budget, began });
  const reading = await readPlan(prepared, {
    ...{ generations: generationsOn(tier), creditDollars: creditDollarsOn(tier) },
    ...{ budget, rehearsal: false, now: clock.now() },
  });
  if (!(await options.confirm({ plan, reading, above }))) return err(declined);
  const again = new PlanRecord();
  await prepared.replan(again.add);
  return again.digest === record.digest
    ? ok({ budget: capped, began: clock.elapsed() })
    : err(changedMeanwhile(record, again));
}

/** What counts against the budget of this run already: it may continue another one. */
const spentBefore = (ledger: Ledger, runId: string | undefined): number =>
  Math.max(committed(ledger.account), runId === undefined ? 0 : committed(ledger.accountOf(runId)));

/** Undefined if nobody knows the most that the plan may take. */
const totalOf = ({ credits, unpriced, uncounted }: Plan): number | undefined =>
  unpriced > 0 || uncounted > 0 ? undefined : credits;

const declined: Problem = {
  ...problem('nothing was bought: the answer was no'),
  declined: true,
};

function changedMeanwhile(before: PlanRecord, now: PlanRecord): Problem {
  const task = firstDifference(before.tasks, now.tasks);
  const what = task === undefined ? 'the plan is' : `${task} is`;
  return problem(
    `nothing was bought: ${what} no longer as it was shown, because a file has changed meanwhile`,
    'shotlist',
    'run the command again, and look at the new plan',
  );
}
