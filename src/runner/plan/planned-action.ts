// What the plan says of a task, and how the task then stands for the steps that wait for it.
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { TaskId } from '../task/task.ts';
import type { Trouble } from './ask.ts';
import type { Act } from './decide.ts';
import type { Ending } from './ending.ts';
import type { Estimate } from './estimate.ts';

/**
 * What is decided (`decide.ts`), or how the task ends without a decision (`ending.ts`).
 * `maybe`: it depends on what an earlier step finds. `trouble`: it cannot be done as things are.
 */
export type PlannedAction = Act | 'maybe' | 'trouble' | 'skipped' | 'excluded' | 'blocked';

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

interface ActionFacts {
  /** How the task will have ended when the steps after it are asked, as far as anybody can say now. */
  readonly ending: Ending;
  /** Are its outputs known only once the run has done it? */
  readonly later: boolean;
}

const actionFacts: Readonly<Record<PlannedAction, ActionFacts>> = {
  begin: { ending: 'done', later: true },
  maybe: { ending: 'done', later: true },
  attach: { ending: 'done', later: true },
  copy: { ending: 'done', later: true },
  reuse: { ending: 'done', later: false },
  skipped: { ending: 'skipped', later: false },
  excluded: { ending: 'excluded', later: false },
  blocked: { ending: 'blocked', later: false },
  doubt: { ending: 'doubt', later: false },
  lost: { ending: 'failed', later: false },
  keep: { ending: 'failed', later: false },
  trouble: { ending: 'failed', later: false },
};

export const endingOf = (action: PlannedAction): Ending => actionFacts[action].ending;

export const comesLater = (action: PlannedAction): boolean => actionFacts[action].later;
