// The planned action of a task, and how the task then counts for the steps that wait for it.

import type { JsonObject } from '../base/json.ts';
import type { FileCounts } from '../core/file-counts.ts';
import type { LateValue } from '../core/plan-table.ts';
import type { PlannedAction, Times } from '../core/planned-action.ts';
import type { TaskProblem } from '../core/task-problem.ts';
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint, Manifest } from '../model/fingerprint.ts';
import type { TaskId } from '../model/task.ts';
import type { Estimate } from './estimate.ts';
import type { TakeChoice } from './takes.ts';

export interface PlannedTask {
  readonly step: Step;
  readonly task: TaskId;
  readonly action: PlannedAction;
  readonly why: string;
  readonly fingerprint?: Fingerprint;
  /** What the fingerprint is made of, for an upload, a detection or a creation. */
  readonly manifest?: () => Manifest;
  /** Set for a task that would or might be paid for. */
  readonly estimate?: Estimate;
  /** The request that the estimate is for; values that only the run will know count with their bounds. */
  readonly priced?: JsonObject;
  /** For `maybe`: equal for two tasks that certainly share a job, whatever earlier steps find. */
  readonly alike?: string;
  /** For `maybe`: the values that only the run will know. */
  readonly late?: readonly LateValue[];
  readonly problem?: TaskProblem;
  /** In a fan-out: the number of elements. If only the run will know it, this task stands for all of them. */
  readonly times?: Times;
  /** For a creation: the take that counts. */
  readonly take?: TakeChoice;
  /** For a download, and for a take of a reroll: the path to write. */
  readonly to?: string;
  /** For an upload: the file to read. */
  readonly file?: string;
  /** For an upload: the path of its file if another checkout has it. */
  readonly away?: string;
  /** For a reused download, unless all its files are whole. */
  readonly files?: FileCounts;
}
