// How a feature ends a command that it does not begin, or cannot continue.
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';

/** `about`: the file that is wrong, if it is not the command line. */
export function refuse(message: string, hint?: string, about = 'shotlist'): never {
  throw new Refusal(problem(message, about, hint));
}

/** `found`: what a check has found, if anything. */
export function refuseIf(found: Problem | undefined): void {
  if (found !== undefined) throw new Refusal(found);
}

/** For a `catch`: `what` is the beginning of a sentence whose end is the system's reason. Other errors are bugs. */
export function refuseSystemError(error: unknown, what: string, about = 'shotlist'): never {
  if (!isSystemProblem(error)) throw error;
  throw new Refusal({ ...problem(`${what} ${systemReason(error)}`, about), reason: 'system' });
}
