// How a task ends: one table for the plan, the run and the summary.

import type { Code } from '../contract/codes.ts';
import type { Ending, Held } from '../core/ending.ts';

/** `why` is empty if the ending needs no reason. */
export interface End {
  readonly ending: Ending;
  readonly why: string;
  /** If the pipeline file, an item or a file of it is wrong. */
  readonly diagnostic?: Code | undefined;
  /** Local files that `why` names. */
  readonly named?: readonly string[] | undefined;
  /** For `pending`: nothing is wrong with the task. The run stopped, or a cap holds it back. */
  readonly held?: Held | undefined;
}

export type Phase = 'waiting' | 'started' | Ending;
