// Outages as text: which part of the service is down, since when, and what the run does.

import { duration } from '../base/text.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { Outage, RunEvent } from './run-event.ts';

/** The end of a sentence about the service or its storage. */
export function whyAway(failure: ApiFailure): string {
  const { reason, message } = failure;
  const detail = message === '' ? '' : ` (${message})`;
  switch (reason) {
    case 'unreachable':
      return `cannot be reached${detail}`;
    case 'throttled':
      return 'asks shotlist to slow down (429)';
    case 'unavailable':
      return `is not available (${failure.status})`;
    default:
      return `does not answer${detail}`;
  }
}

const subject = (outage: Outage): string =>
  outage.of === 'storage' ? `the storage at ${outage.at}` : 'the service';

const about = ({ of }: Outage): string => (of === 'creations' ? ' with new projects' : '');

/** Why a run stopped waiting. */
export const givenUpText = (outage: Outage, why: string, limitMs: number): string =>
  `${subject(outage)} ${why}${about(outage)}, for ${duration(limitMs)}, the longest time that limits.outage allows`;

/** Why a run buys nothing more after creations got no answer, the end of a sentence. */
export const unansweredText = ({ message }: ApiFailure): string =>
  `creations get no answer${message === '' ? '' : ` (${message})`}, also the last two, which went one at a time to try it`;

export function waitingText(event: Extract<RunEvent, { readonly type: 'waiting' }>): string {
  const { why, since, nextTryMs, limitMs } = event;
  const begun = `since ${since.slice(0, 19)}Z`;
  return (
    `waiting: ${subject(event)} ${why}${about(event)} ${begun}; ` +
    `next attempt in ${duration(nextTryMs)}, waiting for at most ${duration(limitMs)}`
  );
}

export const backText = (event: Extract<RunEvent, { readonly type: 'back' }>): string =>
  `${subject(event)} is back${event.of === 'creations' ? ' for new projects' : ''} after ${duration(event.waitedMs)}; the run continues`;
