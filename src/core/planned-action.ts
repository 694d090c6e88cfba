// What a plan calls what a task comes to.
/**
 * What is decided (`decide.ts`), or how the task ends without a decision (`ending.ts`).
 * `maybe`: it depends on what an earlier step finds. `problem`: it cannot be done as things are.
 */
export type PlannedAction = Act | 'maybe' | 'problem' | 'skipped' | 'excluded' | 'blocked';

/** What is decided about a task. */
type Act = 'reuse' | 'begin' | 'attach' | 'copy' | 'store' | 'doubt' | 'lost' | 'keep' | 'defer';

/** The number of elements of a fan-out. `open`: only the run will know it. No `most`: there is no bound. */
export interface Times {
  readonly least: number;
  readonly most?: number;
  readonly open: boolean;
}

/** True if the outputs of the task become known only when the run has done it. */
export const comesLater = (action: PlannedAction): boolean =>
  action === 'begin' || action === 'maybe' || action === 'attach' || action === 'copy';
