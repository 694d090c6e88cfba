// The error of a coordinator whose term is over.

/** Another coordinator has taken over the run: nothing was written. */
export class TermOver extends Error {
  readonly code = 'TERM_OVER';

  constructor(run: string, epoch: number) {
    super(`another coordinator has taken over the run ${run} (this one had term ${epoch})`);
  }
}
