// Turns a failed call into the outcome of its job: the safe remedy, depending on the purpose of the call.

import { unreachable } from '../../base/result.ts';
import { scrubbed } from '../../base/scrub.ts';
import { type ApiFailure, explainFailure, remedy } from '../../contract/api/failure.ts';
import type { FileProblem } from '../../core/ports.ts';
import type { Ended, JobOutcome } from './job.ts';

/**
 * - `create`: costs credits.
 * - `supply`: a free request, on which only its own task depends.
 * - `read`: reads a paid project.
 * - `save`: fetches the files of a paid project.
 */
export type Call = 'create' | 'supply' | 'read' | 'save';

export const stopped: Ended = { is: 'ended', ending: 'pending', why: 'stopped' };

/** True if a job ended only because the run stopped. */
export const isStopped = ({ ending, why, stops }: Ended): boolean =>
  ending === stopped.ending && why === stopped.why && stops === undefined;

/** Paid and fine: a later run looks at the project again. */
export const rendering = (project: string): Ended => ({
  is: 'ended',
  ending: 'rendering',
  why: `project ${project} still renders`,
});

/** Paid and not fetched: never `failed`, because the next run tries again. */
export const pending = (why: string): Ended => ({ is: 'ended', ending: 'pending', why });

export const failed = (why: string, code?: string): Ended => ({
  is: 'ended',
  ending: 'failed',
  why,
  ...(code === undefined ? {} : { code }),
});

export function outcomeOf(call: Call, failure: ApiFailure): JobOutcome {
  const why = scrubbed(explainFailure(failure));
  const paid = call === 'read' || call === 'save';
  const { reason: code } = failure;
  const unread =
    call === 'read'
      ? pending(`its project could not be read: ${why}`)
      : { ...pending(why), ...(code === 'not-found' ? { code } : {}) };
  const lost = call === 'create' ? failed(why, code) : failed(why);
  const what = remedy(call === 'create' ? 'create' : 'free', failure);
  switch (what) {
    case 'stopped':
      return stopped;
    case 'stop-run':
      return { ...pending(why), stops: code === 'outage' ? 'outage' : 'unauthorized' };
    case 'stop-paid':
      if (code === 'local') return call === 'read' ? unread : { ...pending(why), stops: 'machine' };
      if (code === 'no-answers') return { ...pending(why), stops: 'unanswered' };
      // Only a creation can lack credits.
      if (call === 'create') return { ...pending(why), stops: 'credits' };
      return paid ? unread : lost;
    case 'stop-step':
      return paid ? unread : { ...failed(why, code), stops: 'step' };
    case 'resupply':
      return paid ? unread : { is: 'resupply', why };
    case 'doubt':
      return { is: 'ended', ending: 'doubt', why };
    case 'fail':
    case 'retry':
      return paid ? unread : lost;
    default:
      return unreachable(what);
  }
}

/** A result that cannot be saved must not be bought, so a systemic problem of this machine stops all buying. */
export const unsaved = ({ message, systemic }: FileProblem): JobOutcome =>
  systemic ? outcomeOf('save', { reason: 'local', message }) : pending(message);

export const paidElsewhere = 'another run on this machine pays for the same request';
