// What a report says of a task: the plan knows what a run would do, the state file what happened.

import type { JsonObject } from '../../base/json.ts';
import type { PlannedAction } from '../../core/plan-table.ts';
import type { Step } from '../../language/pipeline.ts';
import { codeOf } from '../../model/failures.ts';
import type { JobView } from '../../model/job-view.ts';
import type { TaskLine } from '../../model/record/line.ts';
import { isWithheld, jobFacts } from '../../model/state.ts';
import type { ItemState, ReportItem, TaskState } from './report-data.ts';

/** A task as a run would find it now. */
export interface ReportedTask {
  readonly step: Step;
  readonly task: string;
  readonly action: PlannedAction;
  readonly why: string;
  /** If the pipeline file, an item or a file of it is wrong. */
  readonly code?: string | undefined;
  /** The job that it is about; undefined if only the run will know it. */
  readonly job?: string | undefined;
  /** For an upload: the file to read. */
  readonly file?: string | undefined;
  /** For a creation: the job of its first take, the number of the take that counts, and how many there are. */
  readonly take?:
    | { readonly first: string; readonly number: number; readonly known: number }
    | undefined;
  /** Its request, as far as it is to be shown: with `<step> → <output>` for what another step makes. */
  readonly body?: (() => JsonObject | undefined) | undefined;
}

export interface TaskVerdict {
  readonly state: TaskState;
  readonly why?: string;
  /** What kind of failure: it decides the advice. */
  readonly code?: string;
}

export function verdictOf(
  { action, why, code, step }: ReportedTask,
  job: JobView | undefined,
  failed: TaskLine | undefined,
  running: boolean,
): TaskVerdict {
  switch (action) {
    case 'reuse':
    case 'store':
      return { state: 'done' };
    case 'attach':
      return { state: 'running' };
    case 'doubt':
      // The request of a run that is going on has no answer yet.
      return running && job?.state === 'intended' ? { state: 'running' } : { state: 'doubt', why };
    case 'problem':
    case 'lost':
    case 'keep':
      return { state: 'failed', why, code };
    case 'skipped':
    case 'excluded':
    case 'blocked':
      return { state: action, why };
    case 'defer':
      return { state: 'waiting', why };
    case 'copy':
    case 'begin':
    case 'maybe':
      if (failed?.ending === 'failed') return failure(failed.fault.message, codeOf(failed));
      if (job?.state === 'failed' && !isWithheld(job))
        // A download and a delete have the job of the step that they are of.
        return step.of === undefined
          ? failure(job.error?.message ?? 'unknown', job.error?.code)
          : { state: 'blocked', why: `waits for ${step.of}` };
      // Repeated only because a later step needs its values.
      if (isSupply(step.kind.operation) && job !== undefined && jobFacts[job.state].hasResult)
        return { state: 'done' };
      return { state: 'waiting', why };
  }
}

/** A plan would try a failed task again; for a report, what waits for it is blocked. */
const blocking: Readonly<Partial<Record<TaskState, string>>> = {
  failed: 'failed',
  doubt: 'is in doubt',
  blocked: 'is blocked',
};

/** `stateOf`: the state of a step that the task waits for, if it is known. */
export function verdictAfter(
  verdict: TaskVerdict,
  after: readonly string[],
  stateOf: (step: string) => TaskState | undefined,
): TaskVerdict {
  if (verdict.state !== 'waiting') return verdict;
  for (const step of after) {
    const word = blocking[stateOf(step) ?? 'done'];
    if (word !== undefined) return { state: 'blocked', why: `waits for ${step}, which ${word}` };
  }
  return verdict;
}

const isSupply = (operation: string): boolean => operation === 'upload' || operation === 'detect';

const failure = (why: string, code: string | undefined): TaskVerdict => ({
  state: 'failed',
  // The state file repeats the code in the sentence.
  why: code !== undefined && why.startsWith(`${code}: `) ? why.slice(code.length + 2) : why,
  code,
});

/** True if nothing more happens to the item in this run. */
export const isSettled = ({ tasks }: Pick<ReportItem, 'tasks'>): boolean =>
  tasks.every(({ state }) => state === 'done' || state === 'skipped');

const weightiest: readonly ItemState[] = ['doubt', 'failed', 'running', 'blocked', 'waiting'];

/** The state of an item; `makes`: the states of the tasks that make something. */
export function itemState(
  states: readonly TaskState[],
  makes: readonly TaskState[] = states,
): ItemState {
  const first = weightiest.find((state) => states.includes(state));
  if (first !== undefined) return first;
  const idle = makes.length > 0 && makes.every((state) => state === 'skipped');
  return idle ? 'skipped' : 'done';
}
