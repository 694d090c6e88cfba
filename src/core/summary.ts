// The summary of a run: what was counted, and how the run ended.

import type { JobView } from '../model/job-view.ts';
import type { OtherDoubts, RunOutcome, StoppedBy, Summary } from './run-event.ts';
import type { Closed } from './spending.ts';
import type { Tally } from './tally.ts';

/** Of everything in the record that is in doubt: what no task of this run stands for. */
export function otherDoubtsOf(
  { doubted }: Tally,
  jobs: Iterable<Pick<JobView, 'tasks' | 'name' | 'reserve'>>,
): OtherDoubts | undefined {
  const others = [...jobs].filter(({ tasks }) => !tasks.some((task) => doubted.has(task)));
  if (others.length === 0) return undefined;
  const examples = others
    .slice(0, 3)
    .map(({ tasks, name = '', reserve = 0 }) => ({ tasks, name, reserved: reserve }));
  return { count: others.length, examples };
}

/** A doubt of no task of this run counts, too: it holds credits until a person settles it. */
export function outcomeOf(tally: Tally, stop: Stopped, others?: OtherDoubts): RunOutcome {
  const { failed, doubt, pending, blocked } = tally.tasks;
  if (stop.interrupted) return 'interrupted';
  if (stop.unauthorized) return 'unauthorized';
  if (doubt > 0 || others !== undefined) return 'doubt';
  if (stop.machine || stop.outage) return 'failed';
  if (stop.money) return 'budget';
  if (failed === 0 && pending === tally.held && tally.heldItems !== undefined) return 'budget';
  if (failed + pending + blocked > 0) return 'failed';
  return stop.left || tally.isLeft ? 'waiting' : 'done';
}

/** What is in a summary and no event tells. */
type EndFacts = Pick<Summary, 'credits' | 'elapsedMs' | 'otherDoubts'> &
  Partial<Pick<Summary, 'stopped' | 'stoppedBy' | 'cap' | 'paid' | 'resumesAt' | 'wakeAt'>> & {
    /** The number of the pipeline's items in this run. */
    readonly items: number;
  };

export function summaryOf(tally: Tally, outcome: RunOutcome, facts: EndFacts): Summary {
  const { items, stopped, stoppedBy, cap, paid, resumesAt, wakeAt, otherDoubts, ...others } = facts;
  const { tasks, held, files, problems } = tally;
  const { done, skipped } = tally.items;
  return {
    outcome,
    stopped,
    stoppedBy,
    cap,
    paid,
    resumesAt,
    wakeAt,
    items: { total: items, done, skipped, unfinished: items - done - skipped },
    tasks: { ...tasks },
    held,
    files,
    problems: problems.list,
    groups: problems.groups,
    otherDoubts,
    ...others,
  };
}

/** What ended a run early, if anything did. */
export interface Stopped {
  readonly interrupted: boolean;
  readonly unauthorized: boolean;
  readonly money: boolean;
  /** This machine could not write a paid result, or had no room for the journal. Jobs in flight are recorded. */
  readonly machine: boolean;
  /** The service was down for longer than the run may wait. */
  readonly outage: boolean;
  /** The run left items that it had not begun (`--detach-after`). */
  readonly left: boolean;
  readonly why: string | undefined;
  readonly by: StoppedBy | undefined;
  /** The cap that ended all buying. */
  readonly limit: Closed['limit'];
  /** Epoch milliseconds: when a day or a month with a new budget begins, if its budget stopped the run. */
  readonly until: number | undefined;
}
