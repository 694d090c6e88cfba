// Why a coordinator had to stop, where that is neither a bug nor the fault of its user.
import { scrubbed } from '../base/scrub.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';
import { DatabaseAway } from './away.ts';
import { TermOver } from './term-over.ts';

/** Rethrows any other error. */
export async function asCoordinator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = problemOf(error);
    if (known === undefined) throw error;
    throw new Refusal(known);
  }
}

function problemOf(error: unknown): Problem | undefined {
  if (error instanceof TermOver) {
    const hint =
      'this process was silent for too long, and has stopped: the other one goes on with everything that was paid';
    return { ...problem(error.message, 'shotlist', hint), reason: 'system' };
  }
  if (error instanceof DatabaseAway) {
    const hint = 'everything that was paid is recorded there: run again when it is back';
    const message = `the database went away while the record was moved: ${scrubbed(error.message)}`;
    return { ...problem(message, 'shotlist', hint), reason: 'system' };
  }
  return undefined;
}
