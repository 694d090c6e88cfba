// Everything that can go wrong between the runner and the service, and the safe reaction to each
// failure. Sources: interface.md, Errors; facts.md, Rate limits and lost answers; design.md,
// Retries by meaning.
import type { Digest } from '../../base/digest.ts';
import { entryOf } from '../../base/json.ts';
import { unreachable } from '../../base/result.ts';

export type ApiFailure =
  /** 401: the key is missing, malformed or revoked. */
  | { readonly reason: 'unauthorized'; readonly message: string }
  /** 402: not enough credits. */
  | { readonly reason: 'payment-required'; readonly message: string }
  /** 403: not available on this plan, so other tasks of the step would fail, too. */
  | { readonly reason: 'forbidden'; readonly message: string }
  /** 404. */
  | { readonly reason: 'not-found'; readonly message: string }
  /** 410 or an expired presigned address (403/404 from storage). */
  | { readonly reason: 'expired'; readonly message: string }
  /** 400, 422 and any other 4xx: the service will never accept this request. */
  | { readonly reason: 'refused'; readonly status: number; readonly message: string }
  /** 400 naming an input path that storage does not have. */
  | { readonly reason: 'missing-asset'; readonly message: string }
  /** 429. */
  | { readonly reason: 'throttled'; readonly message: string; readonly retryAfterMs?: number }
  /** 503, or 502 without a project id: the service did not accept the request. */
  | {
      readonly reason: 'unavailable';
      readonly status: number;
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  /** The request never left: name not resolved, connection refused. */
  | { readonly reason: 'unreachable'; readonly message: string }
  /** Sent, but without a usable answer: timeout, reset, 500, 504, unreadable success. */
  | { readonly reason: 'unanswered'; readonly message: string }
  /** The bytes of a download are not those that the storage says it has, or (`digest`) are no whole file. */
  | { readonly reason: 'damaged'; readonly message: string; readonly digest?: Digest }
  /**
   * This machine could not read or write: a full, read-only or failing disk, no file handles left.
   */
  | { readonly reason: 'local'; readonly message: string }
  /** Not sent: the run waited for the service for as long as it is allowed to. */
  | { readonly reason: 'outage'; readonly message: string }
  /** Not sent: creations before it got no answers, so the run buys nothing more. */
  | { readonly reason: 'no-answers'; readonly message: string }
  /** Not sent: the permission to send it had become too old. */
  | { readonly reason: 'late'; readonly message: string }
  /** The runner stopped the request before it was sent, or while it only read. */
  | { readonly reason: 'aborted'; readonly message: string };

/** The effect of sending a call twice: `create` pays twice, `free` is harmless. */
export type CallKind = 'free' | 'create';

/**
 * - `retry`: not accepted, or harmless to repeat: send the request again after a pause.
 * - `fail`: this task cannot succeed.
 * - `doubt`: the task may have been paid for; only a person or the service can tell.
 * - `resupply`: redo the free task that made the input, then send the request again.
 * - `stop-step`, `stop-paid`, `stop-run`: other tasks would fail in the same way, so stop them,
 *   too.
 * - `stopped`: the runner stopped the request; nothing happened.
 */
type Remedy =
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
    case 'no-answers':
    // A result that is bought now could not be saved.
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
    case 'late':
    case 'damaged':
      return 'retry';
    case 'unanswered':
      return call === 'create' ? 'doubt' : 'retry';
    case 'aborted':
      return 'stopped';
    default:
      return unreachable(failure);
  }
}

/**
 * True if a project that ended in `error` may succeed next time: the cause is temporary, not the
 * input.
 */
export function worthAnotherAttempt(code: string): boolean {
  return code === 'processing_timeout' || code === 'unknown_error';
}

const describe: Readonly<Record<ApiFailure['reason'], string>> = {
  unauthorized: 'the service refused the API key (401)',
  'payment-required': 'the account does not have enough credits (402)',
  forbidden: 'this is not available on the account’s plan (403)',
  'not-found': 'the service did not find it (404)',
  expired: 'the address has expired',
  refused: 'the service refused the request',
  'missing-asset': 'an uploaded input is no longer in storage',
  throttled: 'the service asked shotlist to slow down (429)',
  unavailable: 'the service was not available',
  unreachable: 'the service could not be reached',
  unanswered: 'the service did not answer',
  damaged: 'the file arrived damaged',
  local: 'this machine could not read or write a file',
  outage: 'the run stopped waiting',
  'no-answers': 'the run buys nothing more',
  late: 'it was not sent in time',
  aborted: 'stopped before it finished',
};

/** One sentence for a person: what happened, followed by the service's own message. */
export function explainFailure(failure: ApiFailure): string {
  // Refused before it was sent: the service did not see the request.
  if (failure.reason === 'refused' && failure.status === 0) return failure.message;
  const status = 'status' in failure ? ` (${failure.status})` : '';
  return `${describe[failure.reason]}${status}${failure.message === '' ? '' : `: ${failure.message}`}`;
}

// Advice: what a person can do about a failure, by code. interface.md, Events, lists the codes of
// projects; the other codes are ours.

const advice: Readonly<Record<string, string>> = {
  no_source_face: 'use a picture that shows a face',
  invalid_file_format: 'use another file; the service cannot read this one',
  invalid_video_file: 'use another clip; the service cannot read this one',
  file_too_large: 'use a smaller file',
  invalid_parameters: 'change the values under with:',
  content_policy_violation:
    'change the input or the prompt; the service does not allow this content',
  text_too_long: 'shorten the text',
  invalid_voice: 'choose another voice',
  insufficient_credits: 'add credits to the account, then run it again',
  processing_timeout: 'run it again; the service took too long',
  unknown_error: 'run it again; if it fails again, look at the input',
  canceled: 'run it again; somebody canceled the project in the hub',
  refused: 'change the values under with: or the input; the service refuses this request',
  'missing-asset': 'run it again; the next run uploads the inputs again',
  'not-found': 'check the address of the service; the service does not know this path',
  forbidden: 'choose an option that the account’s plan offers, or change the plan',
  throttled: 'lower limits.requests_per_minute, then run it again',
  unavailable: 'run it again when the service is up',
  unreachable: 'check the network and the address of the service, then run it again',
  local: 'free some disk space or make the folder writable, then run it again',
  abandoned: 'use run --pay-again to pay for it again',
  gone: 'use run --pay-again to pay for it again',
};

export type Cure = 'file' | 'again';

/** Failures that another file, or only another run, cures; those of ours by the code of their diagnostic. */
const cures: Readonly<Record<string, Cure>> = {
  no_source_face: 'file',
  invalid_file_format: 'file',
  invalid_video_file: 'file',
  file_too_large: 'file',
  SL506: 'file',
  SL507: 'file',
  SL508: 'file',
  SL531: 'file',
  processing_timeout: 'again',
  unknown_error: 'again',
  canceled: 'again',
  'missing-asset': 'again',
};

export const cureFor = (code: string | undefined): Cure | undefined => entryOf(cures, code);

/** For a creation whose outcome is unknown. */
export const doubtAdvice =
  'look for its name in the service’s hub, then use shotlist resolve to say what you found';

/** An imperative clause; undefined if the failure's own message is all there is to say. */
export const adviceFor = (code: string | undefined): string | undefined => entryOf(advice, code);
