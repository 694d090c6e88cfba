// The planned action of a task, and how the task then counts for the steps that wait for it.
import type { Ending } from './ending.ts';

/**
 * What is decided (`decide.ts`), or how the task ends without a decision (`ending.ts`).
 * `maybe`: it depends on what an earlier step finds. `problem`: it cannot be done as things are.
 */
export type PlannedAction = Act | 'maybe' | 'problem' | 'skipped' | 'excluded' | 'blocked';

/** What is decided about a task. */
export type Act =
  | 'reuse'
  | 'begin'
  | 'attach'
  | 'copy'
  | 'store'
  | 'doubt'
  | 'lost'
  | 'keep'
  | 'defer';

/** The number of elements of a fan-out. `open`: only the run will know it. No `most`: there is no bound. */
export interface Times {
  readonly least: number;
  readonly most?: number;
  readonly open: boolean;
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
