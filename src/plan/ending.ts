// How a task ends: one table for the plan, the run and the summary.

import type { Code } from '../contract/codes.ts';

/**
 * - `done`: its outputs exist.
 * - `skipped`: its `if:` is false, it uses the outputs of a skipped step, or it is left to another checkout.
 * - `excluded`: this run excludes it, or a step that it waits for.
 * - `failed`: it cannot run as it is, or it ran and failed. Nothing is charged for it.
 * - `doubt`: it may be paid; nobody knows.
 * - `blocked`: a step that it waits for has no outputs now.
 * - `pending`: it is not over, or did not begin, because of trouble; the next run continues it.
 * - `rendering`: paid, and its project still renders; the run did not wait for the project.
 * - `later`: its turn has not come: it waits for a project that renders, or the run was left before.
 */
export type Ending =
  | 'done'
  | 'skipped'
  | 'excluded'
  | 'failed'
  | 'doubt'
  | 'blocked'
  | 'pending'
  | 'rendering'
  | 'later';

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

/** `item`: budget.per_item is too small for its item, in credits. */
export type Held =
  | { readonly by: 'run' }
  | {
      readonly by: 'item';
      readonly most: number;
      readonly spent: number;
      /** What the task would have taken. */
      readonly wanted: number;
    };

export type Phase = 'waiting' | 'started' | Ending;

export interface EndingFacts {
  /** How a step that waits for this task ends; `done`: that step may start. */
  readonly dependents: 'done' | 'skipped' | 'excluded' | 'blocked' | 'later';
  /** True if a summary lists the task as a problem: a person may have to act. */
  readonly problem: boolean;
  /** True if the run acted on the task, or tried to. */
  readonly acted: boolean;
}

export const endingFacts: Readonly<Record<Ending, EndingFacts>> = {
  done: { dependents: 'done', problem: false, acted: true },
  skipped: { dependents: 'skipped', problem: false, acted: false },
  excluded: { dependents: 'excluded', problem: false, acted: false },
  failed: { dependents: 'blocked', problem: true, acted: true },
  doubt: { dependents: 'blocked', problem: true, acted: true },
  blocked: { dependents: 'blocked', problem: false, acted: true },
  pending: { dependents: 'blocked', problem: true, acted: true },
  rendering: { dependents: 'later', problem: false, acted: false },
  later: { dependents: 'later', problem: false, acted: false },
};
