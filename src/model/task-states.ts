// The state of each task, as the state file knows it. A task can have several jobs, one for each content that it had.

import { standingTasks } from './failures.ts';
import { type JobView, viewsOf } from './job-view.ts';
import type { Ledger } from './record/ledger.ts';
import { isWithheld, jobFacts } from './state.ts';
import { stepOf } from './task.ts';

/**
 * - `done`: there is a result, at the service or here.
 * - `running`: paid, and not over.
 * - `sent`: the request has no answer yet; only while a run is active.
 * - `doubt`: the request may be paid, and nobody knows.
 * - `failed`, `skipped`: as the last run left it.
 * - `forgotten`: the next run does the task again, or begins what the last one could not.
 * - `pruned`: `shotlist prune` removed the file.
 */
export type TaskState =
  | 'done'
  | 'running'
  | 'sent'
  | 'doubt'
  | 'failed'
  | 'skipped'
  | 'forgotten'
  | 'pruned';

export interface TaskFacts {
  readonly state: TaskState;
  /** The fingerprint of the task's last job; absent if there was none. */
  readonly job?: string;
}

interface TaskStatesTerms {
  /** True if a process is using the state file. */
  readonly running: boolean;
  /** True if the step deletes projects. */
  readonly deletes: (step: string) => boolean;
}

interface Ranked extends TaskFacts {
  readonly rank: number;
  readonly at: string;
}

/** What counts if a task has several jobs: the higher number, then the later time. */
const ranks: Readonly<Record<TaskState, number>> = {
  forgotten: 0,
  failed: 0,
  skipped: 0,
  pruned: 1,
  done: 2,
  running: 3,
  sent: 3,
  doubt: 5,
};
const rankOfOwnLine = 4;

/** By task, in no order. */
export function taskStates(
  ledger: Ledger,
  terms: TaskStatesTerms,
  jobs = viewsOf(ledger),
): ReadonlyMap<string, TaskFacts> {
  const states = new Map<string, Ranked>();
  const note = (task: string, state: TaskState, { job, at }: JobView): void => {
    const rank = ranks[state];
    const known = states.get(task);
    if (known === undefined || known.rank < rank || (known.rank === rank && known.at <= at))
      states.set(task, { state, job, rank, at });
  };
  for (const job of jobs) {
    const state = stateOf(job, terms.running);
    const deleted = job.state === 'deleted' ? 'done' : 'forgotten';
    for (const task of job.tasks) note(task, terms.deletes(stepOf(task)) ? deleted : state, job);
    for (const { task, pruned } of job.outputs)
      note(task, pruned === undefined ? 'done' : 'pruned', job);
  }
  for (const { task, ending } of standingTasks(ledger)) {
    const known = states.get(task);
    if (ending !== 'done' && (known === undefined || known.rank < rankOfOwnLine))
      states.set(task, { at: '', ...known, state: ending, rank: rankOfOwnLine });
  }
  return states;
}

function stateOf(job: JobView, running: boolean): TaskState {
  const { state } = job;
  if (isWithheld(job)) return 'forgotten';
  if (state === 'intended') return running ? 'sent' : 'doubt';
  if (state === 'failed' || state === 'forgotten' || state === 'doubt') return state;
  return jobFacts[state].hasResult ? 'done' : 'running';
}
