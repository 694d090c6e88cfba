// How a task ends, and what that means for the steps that wait for it: one table for the plan and the run.
import type { Code } from '../contract/codes.ts';

/**
 * - `reuse`: done before, by this task or by another one with the same content.
 * - `supply`: an upload or a face detection, which is free.
 * - `create`: pays.
 * - `follow`: paid already, and not over.
 * - `save`: fetches the files of a project. `copy`: the same from files that are here.
 * - `store`: the files are here, and not in the store of this pipeline.
 * - `remove`: deletes the project.
 * - `doubt`: perhaps paid; a person decides.
 * - `lost`: paid for, and neither the project nor its files are there.
 * - `keep`: a project that must not be deleted.
 */
export type Action =
  | 'reuse'
  | 'supply'
  | 'create'
  | 'follow'
  | 'save'
  | 'copy'
  | 'store'
  | 'remove'
  | 'doubt'
  | 'lost'
  | 'keep';

/** What a run does about paid results before it buys anything. */
export const earlyActions: ReadonlySet<Action> = new Set<Action>(['follow', 'save', 'copy']);

/** `why` is empty if the ending needs no reason; else it is the end of a sentence about the task. */
export interface End {
  readonly ending: Ending;
  readonly why: string;
  /** If the pipeline file, an item or a file of it is wrong. */
  readonly diagnostic?: Code | undefined;
  /** The kind of a failure, for advice. */
  readonly code?: string | undefined;
  /** For `pending`: nothing is wrong with the task. The run stopped, or a cap holds it back. */
  readonly held?: Held | undefined;
  /** For `blocked`: what it waits for may still come, so that a list with it is not complete. */
  readonly mayCome?: true | undefined;
  /** Local files that `why` names. */
  readonly named?: readonly string[] | undefined;
  /** What was done, by whoever did it for all that share the result. */
  readonly action?: Action | undefined;
}

export const done: End = { ending: 'done', why: '' };

/** Of several endings, the first of these decides. */
const gravest: readonly Ending[] = [
  'failed',
  'doubt',
  'blocked',
  'pending',
  'later',
  'rendering',
  'skipped',
  'excluded',
  'done',
];

export const isGraver = (one: Ending, other: Ending): boolean =>
  gravest.indexOf(one) < gravest.indexOf(other);

/** A later run may still do the task, so a list of which it is a part may grow. */
export const isOpenEnd = ({ ending, mayCome }: Pick<End, 'ending' | 'mayCome'>): boolean =>
  openEndings.has(ending) || mayCome === true;

const openEndings: ReadonlySet<Ending> = new Set<Ending>([
  'doubt',
  'pending',
  'rendering',
  'later',
]);

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

interface EndingFacts {
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
