// Performs orders in this process. Orders of a step kind share a p-limit.
import pLimit, { type LimitFunction } from 'p-limit';
import { bugOf } from '../../base/bug.ts';
import { drive } from './drive.ts';
import type { JobOrder, JobOutcome } from './job.ts';
import type { JobContext } from './job-context.ts';
import { stopped } from './outcome.ts';
import type { OrderJournal, Performer } from './performer.ts';

export interface LocalPerformerOptions {
  readonly context: JobContext;
  /** Aborts `context.stop`. */
  readonly stopper: AbortController;
  /** The most concurrent orders of a step kind. A kind without an entry is limited only by the window of items. */
  readonly limits: Readonly<Record<string, number>>;
}

export function localPerformer({ context, stopper, limits }: LocalPerformerOptions): Performer {
  const limiters = new Map<string, LimitFunction>(
    Object.entries(limits).map(([kind, limit]) => [kind, pLimit(limit)]),
  );

  async function run(order: JobOrder, journal: OrderJournal): Promise<JobOutcome> {
    if (stopper.signal.aborted) return stopped;
    journal.begun();
    try {
      return await drive(order, context, journal);
    } catch (error) {
      // A bug in this one order, which does not affect the others.
      return { is: 'bug', bug: bugOf(error) };
    }
  }

  return {
    perform(order, journal) {
      const limiter = limiters.get(order.kind);
      return limiter === undefined ? run(order, journal) : limiter(run, order, journal);
    },
    abort: () => stopper.abort(),
  };
}
