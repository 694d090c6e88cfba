// What the plan says of a task, and how the task then stands for the steps that wait for it.
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { TaskId } from '../task/task.ts';
import type { Trouble } from './ask.ts';
import type { Act } from './decide.ts';
import type { Estimate } from './estimate.ts';
import type { Ending } from './turn.ts';

/**
 * `maybe`: it depends on what an earlier step finds. `skip`, `block`: it will not be done.
 * `exclude`: this run leaves it out. `trouble`: it cannot be done as things are.
 */
export type PlannedAction = Act | 'maybe' | 'skip' | 'exclude' | 'block' | 'trouble';

export interface PlannedTask {
  readonly step: Step;
  readonly task: TaskId;
  readonly action: PlannedAction;
  readonly why: string;
  readonly fingerprint?: Fingerprint;
  /** Set for a tool's task that would be, or may be, paid. */
  readonly estimate?: Estimate;
  /** `maybe`: equal for two tasks that are certain to come to the same job, whatever earlier steps find. */
  readonly alike?: string;
  readonly trouble?: Trouble;
  /** A download: where to. */
  readonly to?: string;
  /** An upload: which file. */
  readonly file?: string;
}

/** How a task will have ended when the steps after it are asked, as far as anybody can say now. */
export function endingOf(action: PlannedAction): Ending {
  switch (action) {
    case 'begin':
    case 'attach':
    case 'copy':
    case 'reuse':
    case 'maybe':
      return 'done';
    case 'skip':
      return 'skipped';
    case 'exclude':
      return 'excluded';
    case 'hold':
    case 'lost':
    case 'refuse':
    case 'block':
    case 'trouble':
      return 'blocked';
  }
}

/** Are a task's outputs known only once the run has done it? */
export function comesLater(action: PlannedAction): boolean {
  return ['begin', 'maybe', 'attach', 'copy'].includes(action);
}
