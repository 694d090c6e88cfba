// Why the tasks of a plan run: new ones, and those that ran before and are not as they were. Plain data.
import type { Json } from '../base/json.ts';
import type { Code } from '../contract/codes.ts';
import type { JobState, JobView } from '../model/job-view.ts';
import type { AttemptState } from '../model/record/line.ts';
import type { PaidTask } from './paid-before.ts';
import type { PlannedAction } from './planned-action.ts';

export type Because = 'new' | 'changed' | 'again' | 'more';

/** Tasks of one step that run for the same reason. */
export interface PlanReason {
  readonly step: string;
  readonly because: Because;
  /** What has changed, or why it is done again, as the end of a sentence. Absent for `new` and `more`. */
  readonly what?: string;
  readonly tasks: number;
  /** The first three tasks. */
  readonly examples: readonly string[];
}

/** The last job that a task had, other than the one that it has now. */
export interface EarlierJob extends Pick<JobView, 'job' | 'kind' | 'at' | 'project' | 'credits'> {
  readonly state: JobState | AttemptState;
}

export type Change =
  /** A field that is new, without `before`, or the name of the tool. */
  | {
      readonly is: 'value';
      readonly field: string;
      readonly before?: string;
      readonly after?: Json;
    }
  /** `after`: the SHA-256 of the content now. */
  | {
      readonly is: 'file';
      readonly field: string;
      readonly file: string;
      readonly after?: string;
    }
  /** A result of another task, which is not the same one. */
  | { readonly is: 'result'; readonly field: string; readonly kind?: string }
  /** The record does not say what it was before. */
  | { readonly is: 'field'; readonly field: string; readonly after?: Json };

export interface Explanation {
  readonly task: string;
  readonly action: PlannedAction;
  readonly why: string;
  readonly code?: Code;
  /** Credits that it would cost; absent if it is free, or if the price is not known. */
  readonly credits?: number;
  /** What the user's receipts say of it; absent if the state file alone knows it. */
  readonly paid?: PaidTask;
  /** The last job that the task had before; absent if it never had another one. */
  readonly earlier?: EarlierJob;
  /** What has changed since then; absent if the state file does not know. */
  readonly changes?: readonly Change[];
}
