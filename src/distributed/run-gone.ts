// The error of a process whose run is no longer in the database.

/** The run was exported and another one took its place, while this process was frozen or cut off. */
export class RunGone extends Error {
  readonly code = 'RUN_GONE';

  constructor(run: string) {
    super(`the run ${run} is no longer in the database`);
  }
}
