// From a failed call to how its job ends: what `remedy` says is safe, seen from what the call was for.
import { type ApiFailure, explainFailure, remedy } from '../../../contract/api/failure.ts';
import { unreachable } from '../../../contract/base/result.ts';
import { scrubbed } from '../../../contract/base/scrub.ts';
import type { Ended, Outcome } from './job.ts';
import type { FileTrouble } from './ports.ts';

/**
 * - `create`: it pays.
 * - `supply`: a free request, nothing depends on it but its own task.
 * - `read`: reads a project that is paid for.
 * - `save`: fetches what is paid for.
 */
export type Call = 'create' | 'supply' | 'read' | 'save';

export const stopped: Ended = { is: 'ended', ending: 'pending', why: 'stopped' };

/** Paid and not fetched: never `failed`, the next run tries again. */
export const pending = (why: string): Ended => ({ is: 'ended', ending: 'pending', why });

export const failed = (why: string, code?: string): Ended => ({
  ...{ is: 'ended', ending: 'failed', why },
  ...(code === undefined ? {} : { code }),
});

export function outcomeOf(call: Call, failure: ApiFailure): Outcome {
  const why = scrubbed(explainFailure(failure));
  const paid = call === 'read' || call === 'save';
  const { reason: code } = failure;
  const unread = pending(call === 'read' ? `its project could not be read: ${why}` : why);
  const lost = call === 'create' ? failed(why, code) : failed(why);
  const what = remedy(call === 'create' ? 'create' : 'free', failure);
  switch (what) {
    case 'stopped':
      return stopped;
    case 'stop-run':
      return { ...pending(why), stops: code === 'outage' ? 'outage' : 'unauthorized' };
    case 'stop-paid':
      if (code === 'local') return call === 'read' ? unread : { ...pending(why), stops: 'machine' };
      // Of credits the service speaks where something is bought.
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

/** What cannot be saved must not be bought: trouble of this machine stops everything that pays. */
export const unsaved = ({ message, systemic }: FileTrouble): Outcome =>
  systemic ? outcomeOf('save', { reason: 'local', message }) : pending(message);
