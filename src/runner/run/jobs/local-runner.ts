// The runner in this process. Jobs of a step kind share a p-limit, and each job pauses at every event until it may
// proceed.
import pLimit, { type LimitFunction } from 'p-limit';
import { bugOf } from '../../../contract/base/bug.ts';
import { drive, type Permission } from './drive.ts';
import type { JobOrder, JobOutcome } from './job.ts';
import type { JobContext } from './job-context.ts';
import { stopped } from './outcome.ts';
import type { Notice, Runner } from './ports.ts';

export interface LocalRunnerOptions {
  readonly context: JobContext;
  /** Aborts `context.stop`. */
  readonly stopper: AbortController;
  /** The most concurrent jobs of a step kind. A kind without an entry is limited only by the window of items. */
  readonly limits: Readonly<Record<string, number>>;
}

const go: Permission = { is: 'go' };
const over = (outcome: JobOutcome): Permission => ({ is: 'over', outcome });

export function localRunner({ context, stopper, limits }: LocalRunnerOptions): Runner {
  const limiters = new Map<string, LimitFunction>();
  /** The paused jobs, and how to resume them; a text says why a job may not proceed. */
  const answers = new Map<string, (refusal: string | undefined) => void>();
  let waiting: Notice[] = [];
  let wake: (() => void) | undefined;
  let crash: { readonly error: unknown } | undefined;

  const tell = (notice: Notice): void => {
    waiting.push(notice);
    wake?.();
  };

  const fail = (error: unknown): void => {
    crash ??= { error };
    wake?.();
  };

  /** Tells the loop, and waits until the job may continue. */
  const answered = async (notice: Extract<Notice, { readonly is: 'event' | 'ask' }>) => {
    const refusal = await new Promise<string | undefined>((resolve) => {
      answers.set(notice.key, resolve);
      tell(notice);
    });
    return refusal === undefined ? go : over({ is: 'withheld', why: refusal });
  };

  const run = async (order: JobOrder): Promise<void> => {
    const { key } = order;
    if (stopper.signal.aborted) return tell({ is: 'ended', key, outcome: stopped });
    tell({ is: 'begun', key });
    const outcome = await drive(order, context, {
      claim: (event) => answered({ is: 'event', key, event, durable: true }),
      again: () => answered({ is: 'ask', key }),
      async record(event, durable) {
        await answered({ is: 'event', key, event, durable });
      },
    });
    tell({ is: 'ended', key, outcome });
  };

  const answer = (key: string, refusal: string | undefined): void => {
    const resolve = answers.get(key);
    answers.delete(key);
    resolve?.(refusal);
  };

  const limiterOf = (kind: string): LimitFunction | undefined => {
    const limit = limits[kind];
    if (limit === undefined) return undefined;
    let limiter = limiters.get(kind);
    if (limiter === undefined) {
      limiter = pLimit(limit);
      limiters.set(kind, limiter);
    }
    return limiter;
  };

  return {
    start(order) {
      const limiter = limiterOf(order.kind);
      // Anything thrown is a bug in this one job, and does not affect the others.
      const ended = (error: unknown): void =>
        tell({ is: 'ended', key: order.key, outcome: { is: 'bug', bug: bugOf(error) } });
      const running = limiter === undefined ? run(order) : limiter(run, order);
      running.catch(ended);
    },
    async next() {
      while (waiting.length === 0 && crash === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      wake = undefined;
      if (crash !== undefined) throw crash.error;
      const happened = waiting;
      waiting = [];
      return happened;
    },
    proceed: (key) => answer(key, undefined),
    decline: answer,
    abort: () => stopper.abort(),
    fail,
  };
}
