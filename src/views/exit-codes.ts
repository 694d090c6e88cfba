// The exit codes of runs.
import type { RunOutcome } from '../core/run-event.ts';

/** `shotlist --help` shows them. */
export const exitCodes: Readonly<Record<RunOutcome, number>> = {
  done: 0,
  failed: 1,
  budget: 3,
  doubt: 4,
  unauthorized: 5,
  waiting: 6,
  interrupted: 130,
};
