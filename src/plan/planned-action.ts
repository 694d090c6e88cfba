// The planned action of a task, and how the task then counts for the steps that wait for it.
import type { JsonObject } from '../base/json.ts';
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint, Manifest } from '../model/fingerprint.ts';
import type { TaskId } from '../model/task.ts';
import type { TaskProblem } from './ask.ts';
import type { Act, FileCounts } from './decide.ts';
import type { Ending } from './ending.ts';
import type { Estimate } from './estimate.ts';
import type { LateValue } from './late-values.ts';
import type { TakeChoice } from './takes.ts';

/**
 * What is decided (`decide.ts`), or how the task ends without a decision (`ending.ts`).
 * `maybe`: it depends on what an earlier step finds. `problem`: it cannot be done as things are.
 */
export type PlannedAction = Act | 'maybe' | 'problem' | 'skipped' | 'excluded' | 'blocked';

/** The number of elements of a fan-out. `open`: only the run will know it. No `most`: there is no bound. */
export interface Times {
  readonly least: number;
  readonly most?: number;
  readonly open: boolean;
}

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

interface ActionFacts {
  /** How the task will have ended when later steps are planned, as far as known. */
  readonly ending: Ending;
  /** True if its outputs become known only when the run has done it. */
  readonly later: boolean;
}

const actionFacts: Readonly<Record<PlannedAction, ActionFacts>> = {
  begin: { ending: 'done', later: true },
  maybe: { ending: 'done', later: true },
  attach: { ending: 'done', later: true },
  copy: { ending: 'done', later: true },
  store: { ending: 'done', later: false },
  reuse: { ending: 'done', later: false },
  skipped: { ending: 'skipped', later: false },
  excluded: { ending: 'excluded', later: false },
  blocked: { ending: 'blocked', later: false },
  doubt: { ending: 'doubt', later: false },
  lost: { ending: 'failed', later: false },
  keep: { ending: 'failed', later: false },
  defer: { ending: 'skipped', later: false },
  problem: { ending: 'failed', later: false },
};

export const endingOf = (action: PlannedAction): Ending => actionFacts[action].ending;

export const comesLater = (action: PlannedAction): boolean => actionFacts[action].later;

/** True if the run still saves or stores files here, which a delete of the project must wait for. */
export const isUnsettled = (action: PlannedAction): boolean =>
  comesLater(action) || action === 'store';

/** The actions that save or store files, now or later in the run. */
export const unsettledActions: ReadonlySet<string> = new Set([
  ...Object.entries(actionFacts).flatMap(([action, { later }]) => (later ? [action] : [])),
  'store',
]);
