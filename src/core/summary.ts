// The summary of a run: what was counted, and how the run ended.

import { doubtOf, type JobView } from '../model/job-view.ts';
import type { OtherDoubts, RunOutcome, StoppedBy, Summary } from './run-event.ts';
import type { RunView } from './run-view.ts';

/** Of everything in the record that is in doubt: what no task of this run stands for. */
export function otherDoubtsOf(
  { doubted }: RunView,
  doubts: readonly JobView[],
): OtherDoubts | undefined {
  const others = doubts.filter(({ tasks }) => !tasks.some((task) => doubted.has(task)));
  if (others.length === 0) return undefined;
  const examples = others
    .slice(0, 3)
    .map(doubtOf)
    .map(({ tasks, name, reserved }) => ({ tasks, name, reserved }));
  return { count: others.length, examples };
}

/** `by`: what stopped the run. A doubt of no task of this run counts, too: it holds credits until a person settles it. */
export function outcomeOf(
  view: RunView,
  by: StoppedBy | undefined,
  others?: OtherDoubts,
): RunOutcome {
  const { failed, doubt, pending, blocked } = view.tasks;
  if (by === 'interrupt') return 'interrupted';
  if (by === 'unauthorized') return 'unauthorized';
  if (doubt > 0 || others !== undefined) return 'doubt';
  // This machine could not write a paid result, or the service was down for longer than the run may wait.
  if (by === 'machine' || by === 'outage') return 'failed';
  if (by === 'budget' || by === 'credits') return 'budget';
  if (failed === 0 && pending === view.held && view.heldItems !== undefined) return 'budget';
  if (failed + pending + blocked > 0) return 'failed';
  return by === 'left' || view.isLeft ? 'waiting' : 'done';
}

/** What is in a summary and no event tells. */
type EndFacts = Pick<Summary, 'credits' | 'elapsedMs' | 'otherDoubts'> &
  Partial<Pick<Summary, 'stopped' | 'stoppedBy' | 'cap' | 'paid' | 'resumesAt' | 'wakeAt'>> & {
    /** The number of the pipeline's items in this run. */
    readonly items: number;
  };

export function summaryOf(view: RunView, outcome: RunOutcome, facts: EndFacts): Summary {
  const { items, stopped, stoppedBy, cap, paid, resumesAt, wakeAt, otherDoubts, ...others } = facts;
  const { tasks, held, files, problems } = view;
  const { done, skipped } = view.items;
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
