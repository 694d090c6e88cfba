// What performing a job looks like from outside: events, each held up until it is recorded, then an outcome.
import type { Happened } from '../../journal/line.ts';
import type { Outcome } from './job.ts';

/** `durable`: the job may not go on before this is synced to disk. */
export interface Recorded {
  readonly event: Happened;
  readonly durable: boolean;
}

/** The creation was surely not taken and is about to be sent again: is there still money for it? */
export interface Asking {
  readonly ask: 'send';
}

export type Performance = AsyncGenerator<Recorded | Asking, Outcome, void>;
