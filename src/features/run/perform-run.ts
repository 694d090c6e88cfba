// Performs one run, and says what is wrong if it cannot.

import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { summaryOf } from '../../core/summary.ts';
import { Tally } from '../../core/tally.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { lostProblem, problem, Refusal } from '../../language/load/refusal.ts';
import { RecordLost } from '../../state/state-file.ts';
import type { RunContext } from './context.ts';
import { type Performed, perform } from './perform.ts';

/** `state`: the state file. */
export async function performRun(
  bound: BoundPipeline,
  context: RunContext,
  state: string,
): Promise<Performed> {
  const { clock, options } = context;
  const began = clock.elapsed();
  try {
    return await perform(bound, context);
  } catch (error) {
    if (options.signal?.aborted === true && error === options.signal.reason)
      return interrupted(clock.elapsed() - began);
    if (error instanceof RecordLost) throw new Refusal(lostProblem(error));
    if (!isSystemProblem(error)) throw error;
    // Nothing new was sent after the journal could not be written, and everything sent before is recorded.
    throw new Refusal({
      ...problem(
        `${state} ${systemReason(error)}`,
        'the run stopped',
        'everything that was recorded is safe; fix this, then run again: nothing is paid twice',
      ),
      reason: 'system',
    });
  }
}

/** Before it began anything. */
function interrupted(elapsedMs: number): Performed {
  const credits = { charged: 0, refunded: 0, reserved: 0 };
  const summary = summaryOf(new Tally(), 'interrupted', { items: 0, elapsedMs, credits });
  return { summary, changed: false };
}
