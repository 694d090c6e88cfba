// How a task ends in the middle of its work: thrown where it happens, and caught once, by whoever performs tasks.
import { unreachable } from '../base/result.ts';
import { scrubbed } from '../base/scrub.ts';
import { type ApiFailure, type CallKind, explainFailure, remedy } from '../contract/api/failure.ts';
import type { Ending, Held } from './ending.ts';
import { lostText, type ReasonCode, textOf } from './reason.ts';

interface EndedMore {
  /** Of a fault or a failure, or a code of our own: what a person can do about it, and what stopped the run. */
  readonly code?: string | undefined;
  readonly held?: Held | undefined;
  /** What ends besides the task: buying, or the run. */
  readonly stops?: 'buying' | 'run' | undefined;
}

export class Ended extends Error {
  readonly ending: Exclude<Ending, 'done' | 'excluded'>;
  readonly code: string | undefined;
  readonly held: Held | undefined;
  readonly stops: 'buying' | 'run' | undefined;

  constructor(ending: Ended['ending'], why: string, { code, held, stops }: EndedMore = {}) {
    super(why);
    this.ending = ending;
    this.code = code;
    this.held = held;
    this.stops = stops;
  }

  /** The same again may succeed. */
  get mayPass(): boolean {
    return this.ending === 'pending' && this.stops === undefined && this.held === undefined;
  }
}

/** Nothing is wrong with the task: the run stops. */
export const stopped = (): Ended => new Ended('pending', 'stopped', { held: { by: 'run' } });

/** Paid for, and neither the project nor its files are there. */
export const lost = (code: ReasonCode): Ended =>
  new Ended('failed', lostText(textOf({ code })), { code: 'gone' });

/** What is paid, and was not read or saved, has never failed: the next run tries again. */
export const pendingIfFailed = (error: unknown, what = ''): unknown =>
  error instanceof Ended && error.ending === 'failed'
    ? new Ended('pending', what + error.message, { code: error.code })
    : error;

/** What a failed call does to its task, if nobody who knows more decides. Failures that pass are `pending`: the next run continues. */
export function endedBy(call: CallKind, failure: ApiFailure): Ended {
  const why = scrubbed(explainFailure(failure));
  const { reason: code } = failure;
  const what = remedy(call, failure);
  switch (what) {
    case 'stopped':
      return stopped();
    case 'doubt':
      return new Ended('doubt', why, { code });
    case 'retry':
      return new Ended('pending', why, { code });
    case 'stop-run':
      return new Ended('pending', why, { code, stops: 'run', held: { by: 'run' } });
    case 'stop-paid': {
      const lacksCredits = code === 'payment-required';
      // Only a creation can lack credits.
      if (call === 'free' && lacksCredits) return new Ended('failed', why, { code });
      const held = lacksCredits ? ({ by: 'run' } as const) : undefined;
      return new Ended('pending', why, { code, stops: 'buying', held });
    }
    case 'stop-step':
    case 'fail':
    case 'resupply':
      return new Ended('failed', why, { code });
    default:
      return unreachable(what);
  }
}
