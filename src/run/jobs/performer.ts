// Who performs orders, and what hears of it.
import type { NewEvent } from '../../model/line.ts';
import type { JobOrder, JobOutcome } from './job.ts';

/** Hears of an order while it is performed. */
export interface OrderJournal {
  /** The order is at work; before, it may have waited for a limit of its step kind. */
  begun(): void;
  /** Resolves with `go` when the intent is durable. */
  claim(intent: Intent): Promise<Permission>;
  /** The creation was certainly not accepted: may it be sent again? */
  again(): Promise<Permission>;
  /** If the event is `durable`, resolves when it is. Not `go`: the record does not allow it, and the job is over. */
  record(event: NewEvent, durable: boolean): Promise<Permission>;
}

export type Intent = Extract<NewEvent, { readonly event: 'intent' }>;

/**
 * - `go`: the creation may be sent now.
 * - `over`: the order ends without sending anything.
 */
export type Permission =
  | { readonly is: 'go' }
  | { readonly is: 'over'; readonly outcome: JobOutcome };

/** Performs orders. */
export interface Performer {
  perform(order: JobOrder, journal: OrderJournal): Promise<JobOutcome>;
  /** Ends requests and waits in flight: every order ends soon. */
  abort(): void;
}
