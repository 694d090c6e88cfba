// Everything that can go wrong between us and the service, and the one table that says what is safe then.
// Sources: interface.md, Errors; facts.md, Rate limits and lost answers; design.md, Retries by meaning.
import { unreachable } from '../base/result.ts';

export type ApiFailure =
  /** 401: the key is missing, malformed or revoked. */
  | { readonly reason: 'unauthorized'; readonly message: string }
  /** 402: not enough credits. */
  | { readonly reason: 'payment-required'; readonly message: string }
  /** 403: not available on this plan, for every sibling too. */
  | { readonly reason: 'forbidden'; readonly message: string }
  /** 404. */
  | { readonly reason: 'not-found'; readonly message: string }
  /** 410 or an expired presigned address (403/404 from storage). */
  | { readonly reason: 'expired'; readonly message: string }
  /** 400 or 422 and any other 4xx: this request will never be taken. */
  | { readonly reason: 'refused'; readonly status: number; readonly message: string }
  /** 400 naming an input path that storage does not have. */
  | { readonly reason: 'missing-asset'; readonly message: string }
  /** 429. */
  | { readonly reason: 'throttled'; readonly message: string; readonly retryAfterMs?: number }
  /** 503, or 502 without a project id: the service did not take the request. */
  | {
      readonly reason: 'unavailable';
      readonly status: number;
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  /** The request never left: name not resolved, connection refused. */
  | { readonly reason: 'unreachable'; readonly message: string }
  /** Sent, and no answer that says what became of it: timeout, reset, 500, 504, unreadable success. */
  | { readonly reason: 'unanswered'; readonly message: string }
  /** This machine could not read or write: a full, read-only or failing disk, no file handles left. */
  | { readonly reason: 'local'; readonly message: string }
  /** It was not sent: the run has waited for the service for as long as it may. */
  | { readonly reason: 'outage'; readonly message: string }
  /** We stopped it ourselves before it was sent, or while it only read. */
  | { readonly reason: 'aborted'; readonly message: string };

/** What a call would do if it were sent twice: `create` pays, the others do not. */
export type CallKind = 'free' | 'create';

/**
 * - `retry`: surely not taken (or harmless twice): send it again after a pause.
 * - `fail`: this task cannot succeed as it is.
 * - `doubt`: it may have been paid; only a person or the service can say.
 * - `resupply`: the free task that made the input is redone, then it is sent again.
 * - `stop-step`, `stop-paid`, `stop-run`: siblings would meet the same fate.
 * - `stopped`: we stopped it; nothing happened.
 */
export type Remedy =
  | 'retry'
  | 'fail'
  | 'doubt'
  | 'resupply'
  | 'stop-step'
  | 'stop-paid'
  | 'stop-run'
  | 'stopped';

export function remedy(call: CallKind, failure: ApiFailure): Remedy {
  switch (failure.reason) {
    case 'unauthorized':
    case 'outage':
      return 'stop-run';
    case 'payment-required':
    // What is bought now could not be saved.
    case 'local':
      return 'stop-paid';
    case 'forbidden':
      return 'stop-step';
    case 'not-found':
    case 'expired':
    case 'refused':
      return 'fail';
    case 'missing-asset':
      return 'resupply';
    case 'throttled':
    case 'unavailable':
    case 'unreachable':
      return 'retry';
    case 'unanswered':
      return call === 'create' ? 'doubt' : 'retry';
    case 'aborted':
      return 'stopped';
    default:
      return unreachable(failure);
  }
}

/** What a project that ended in `error` deserves: some causes pass, an unfit input does not. */
export function worthAnotherAttempt(code: string): boolean {
  return code === 'processing_timeout' || code === 'unknown_error';
}

const describe: Readonly<Record<ApiFailure['reason'], string>> = {
  unauthorized: 'the service refused the API key (401)',
  'payment-required': 'the account has not enough credits (402)',
  forbidden: 'not available on this plan (403)',
  'not-found': 'the service does not know it (404)',
  expired: 'the address has expired',
  refused: 'the service refused the request',
  'missing-asset': 'an uploaded input is no longer in storage',
  throttled: 'the service asked to slow down (429)',
  unavailable: 'the service was not available',
  unreachable: 'the service could not be reached',
  unanswered: 'the answer never came',
  local: 'this machine could not read or write a file',
  outage: 'the run stopped waiting',
  aborted: 'stopped before it was done',
};

/** One sentence for a person: what happened, then the service's own words. */
export function explainFailure(failure: ApiFailure): string {
  // Refused on this side: the service knows nothing of it.
  if (failure.reason === 'refused' && failure.status === 0) return failure.message;
  const status = 'status' in failure ? ` (${failure.status})` : '';
  return `${describe[failure.reason]}${status}${failure.message === '' ? '' : `: ${failure.message}`}`;
}
