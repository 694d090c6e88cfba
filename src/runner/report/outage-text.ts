// An outage in words: who is away, since when, and what the run does about it.
import type { ApiFailure } from '../../contract/api/failure.ts';
import type { Outage, RunEvent } from './run-event.ts';
import { duration } from './text.ts';

/** The end of a sentence whose subject is the service, or its storage. */
export function whyAway(failure: ApiFailure): string {
  const { reason, message } = failure;
  const detail = message === '' ? '' : ` (${message})`;
  switch (reason) {
    case 'unreachable':
      return `cannot be reached${detail}`;
    case 'throttled':
      return 'asks to slow down (429)';
    case 'unavailable':
      return `is not available (${failure.status})`;
    default:
      return `does not answer${detail}`;
  }
}

const subject = (outage: Outage): string =>
  outage.of === 'storage' ? `the storage at ${outage.at}` : 'the service';

const about = ({ of }: Outage): string => (of === 'creations' ? ' with new projects' : '');

/** Why a run no longer waits. */
export const givenUpText = (outage: Outage, why: string, limitMs: number): string =>
  `${subject(outage)} ${why}${about(outage)}, and has for ${duration(limitMs)}, the most that limits.outage allows`;

export function waitingText(inbox: Extract<RunEvent, { readonly type: 'waiting' }>): string {
  const { why, since, nextTryMs, limitMs } = inbox;
  const begun = `since ${since.slice(0, 19)}Z`;
  return (
    `waiting: ${subject(inbox)} ${why}${about(inbox)} ${begun}; ` +
    `next try in ${duration(nextTryMs)}, the run waits for ${duration(limitMs)} at most`
  );
}

export const backText = (inbox: Extract<RunEvent, { readonly type: 'back' }>): string =>
  `${subject(inbox)} is back${inbox.of === 'creations' ? ' for new projects' : ''} after ${duration(inbox.waitedMs)}; the run goes on`;
