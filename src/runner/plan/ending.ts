// How a task ends: one table for the plan, the run and the summary.

/**
 * - `done`: its outputs are there.
 * - `skipped`: its `if:` is false, or it uses the outputs of a skipped step.
 * - `excluded`: this run leaves it out, or leaves out a step that it waits for.
 * - `failed`: it cannot be done as it is, or it was tried and failed. Nothing is charged for it.
 * - `doubt`: it may be paid, and nobody knows.
 * - `blocked`: a step that it waits for has no outputs now.
 * - `pending`: it is not over, or was not begun: the next run goes on with it.
 */
export type Ending = 'done' | 'skipped' | 'excluded' | 'failed' | 'doubt' | 'blocked' | 'pending';

/** `why` is empty where the ending needs no reason. */
export interface End {
  readonly ending: Ending;
  readonly why: string;
}

export type Phase = 'waiting' | 'started' | Ending;

export interface EndingFacts {
  /** How a step that waits for it ends because of it; `done`: the step may start. */
  readonly dependents: 'done' | 'skipped' | 'excluded' | 'blocked';
  /** A summary lists it as trouble: a person may have to act. */
  readonly trouble: boolean;
  /** The run acted on it, or wanted to. */
  readonly acted: boolean;
}

export const endingFacts: Readonly<Record<Ending, EndingFacts>> = {
  done: { dependents: 'done', trouble: false, acted: true },
  skipped: { dependents: 'skipped', trouble: false, acted: false },
  excluded: { dependents: 'excluded', trouble: false, acted: false },
  failed: { dependents: 'blocked', trouble: true, acted: true },
  doubt: { dependents: 'blocked', trouble: true, acted: true },
  blocked: { dependents: 'blocked', trouble: false, acted: true },
  pending: { dependents: 'blocked', trouble: true, acted: true },
};
