// The interface of performing a job: events, each held until it is recorded, then an outcome.
import type { NewEvent } from '../../model/line.ts';
import type { JobOutcome } from './job.ts';

/** `durable`: the job may not continue before this event is synced to disk. */
export interface Recorded {
  readonly event: NewEvent;
  readonly durable: boolean;
}

/** The creation was certainly not accepted and is about to be sent again: asks whether the budget still covers it. */
export interface Asking {
  readonly ask: 'send';
}

export type Performance = AsyncGenerator<Recorded | Asking, JobOutcome, void>;
