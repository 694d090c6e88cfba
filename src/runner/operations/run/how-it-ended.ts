// What a summary says of an early end besides its reason: the cap that was reached, and what is paid for and not fetched.
import { committed, type Ledger } from '../../journal/ledger.ts';
import type { Plan } from '../../plan/plan.ts';
import { resultFates } from '../../plan/result-fate.ts';
import type { PaidProjects, ReachedCap, Summary } from '../../report/run-event.ts';
import type { Stopped } from '../../run/stop.ts';
import { stepOf } from '../../task/task.ts';
import type { PreparedRun } from './context.ts';

/** `net`: credits of this run, refunds taken off. Undefined if no cap of the whole run was reached. */
export function reachedCap(
  run: PreparedRun,
  stopped: Stopped,
  net: number,
): ReachedCap | undefined {
  const { limit } = stopped;
  if (limit === undefined || limit.of === 'balance') return undefined;
  const { ledger } = run.prepared.state;
  const { of, most, spent } = limit;
  const rest = restOf(run.prepared.planned.plan, net);
  if (of !== 'run') {
    const needed = rest === undefined ? {} : { needed: spent + rest };
    return { name: of === 'day' ? 'budget.per_day' : 'budget.per_month', most, spent, ...needed };
  }
  const needed = rest === undefined ? {} : { needed: spentBeforeNext(run, ledger) + rest };
  return { name: nameOf(run, most), most, spent, ...needed };
}

/** The most that the tasks of the plan may take which this run did not pay for; undefined if nobody knows. */
const restOf = ({ credits, unpriced, uncounted }: Plan, net: number): number | undefined =>
  unpriced > 0 || uncounted > 0 ? undefined : Math.max(0, credits - net);

/** What will count against the budget of the next run before it has bought anything. */
const spentBeforeNext = ({ options: { runId } }: PreparedRun, ledger: Ledger): number =>
  committed(runId === undefined ? ledger.account : ledger.accountOf(runId));

function nameOf({ options, prepared }: PreparedRun, most: number): ReachedCap['name'] {
  if (most === prepared.bound.pipeline.budget.credits) return 'budget.credits';
  return most === options.budget ? '--budget' : 'plan';
}

/** Projects of this run, and those of earlier runs that its plan needs. Undefined if there are none. */
export function paidProjects(
  { prepared }: PreparedRun,
  outcome: Summary['outcome'],
): PaidProjects | undefined {
  if (outcome === 'done') return undefined;
  const { state, planned, bound } = prepared;
  const { ledger } = state;
  const began = ledger.runs().at(-1)?.at ?? '';
  const concerns = ({ job, at }: { readonly job: string; readonly at: string }): boolean =>
    at >= began || planned.references.has(job);
  const rendering = [...ledger.unsettled()].filter(concerns).length;
  const fateOf = resultFates(bound.pipeline.steps);
  let ready = 0;
  for (const line of ledger.jobs())
    if (line.state === 'complete' && (line.outputs?.length ?? 0) === 0 && concerns(line))
      if (line.tasks.some((task) => fateOf(stepOf(task)) === 'fetched')) ready += 1;
  return rendering + ready === 0 ? undefined : { rendering, ready };
}
