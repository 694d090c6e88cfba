// Translates errors of HTTP and sockets into failures (interface.md, Errors; facts.md, Rate limits and lost answers).

import { errors } from 'undici';
import { isObject } from '../base/json.ts';
import { scrubbed } from '../base/scrub.ts';
import {
  isMachineProblem,
  isSystemProblem,
  systemCode,
  systemReason,
} from '../base/system-error.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { AnswerHeaders } from '../files/part.ts';
import { NeverConnected } from './connector.ts';
import type { Exchanged } from './exchange.ts';
import { GivenUp } from './given-up.ts';
import { RefusedAddress } from './storage-address.ts';

export function failureOfStatus(
  status: number,
  body: unknown,
  headers: AnswerHeaders,
  now: number,
): ApiFailure {
  const said = isObject(body) ? body['message'] : undefined;
  const message = typeof said === 'string' ? scrubbed(said) : '';
  const retryAfterMs = retryAfter(headers['retry-after'], now);
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  switch (status) {
    case 401:
      return { reason: 'unauthorized', message };
    case 402:
      return { reason: 'payment-required', message };
    case 403:
      return { reason: 'forbidden', message };
    case 404:
      return { reason: 'not-found', message };
    case 429:
      return { reason: 'throttled', message, ...later };
    case 503:
      return { reason: 'unavailable', status, message, ...later };
    case 502:
      // facts.md: a 502 without a project id means that no job was created; a 502 with an id means that one was.
      return isObject(body) && 'id' in body
        ? { reason: 'unanswered', message: `502 with a project id: ${message}` }
        : { reason: 'unavailable', status, message, ...later };
  }
  // Only a plain redirect proves that the request was not handled here.
  const odd = status >= 300 && status < 400 && ![301, 302, 307, 308].includes(status);
  if (odd || status >= 500 || status === 408)
    return { reason: 'unanswered', message: `status ${status} ${message}`.trim() };
  if ((status === 400 || status === 422) && /does not exist/i.test(message))
    return { reason: 'missing-asset', message };
  return { reason: 'refused', status, message };
}

/** `Retry-After`: seconds or a date, at most an hour. */
function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, 3_600_000) : undefined;
}

/** The status with which storage answers an expired presigned address. */
export function storageFailure(status: number): ApiFailure {
  const message = `storage answered ${status}`;
  if (status === 403 || status === 404 || status === 410) return { reason: 'expired', message };
  if (status === 429) return { reason: 'throttled', message };
  if (status === 503) return { reason: 'unavailable', status, message };
  if (status >= 500) return { reason: 'unanswered', message };
  return { reason: 'refused', status, message };
}

/** The response does not follow the protocol. Not every such error has a code. */
export const isNotHttp = (error: unknown): boolean => error instanceof errors.HTTPParserError;

/**
 * The failure behind a request without an answer, whatever was thrown by the socket, TLS, the parser or undici. Only if
 * the connection was never made, it is certain that nothing was sent.
 */
export function failureOfError(error: unknown): ApiFailure {
  if (error instanceof NeverConnected) return neverConnected(error);
  if (isNotHttp(error)) return { reason: 'unanswered', message: 'the answer is not HTTP' };
  if (error instanceof GivenUp) return { reason: 'unanswered', message: error.message };
  const code = systemCode(error) ?? (error instanceof Error ? systemCode(error.cause) : undefined);
  const name = error instanceof Error ? error.name : typeof error;
  return { reason: 'unanswered', message: scrubbed(code ?? name) };
}

function neverConnected({ cause, message }: NeverConnected): ApiFailure {
  if (cause instanceof RefusedAddress)
    return { reason: 'refused', status: 0, message: cause.message };
  const code = systemCode(cause);
  // A connection is a file handle too.
  if (code === 'EMFILE' || code === 'ENFILE')
    return { reason: 'local', message: `a connection ${systemReason(cause)}` };
  return { reason: 'unreachable', message: scrubbed(code ?? message) };
}

/** A request that was certainly not sent can be repeated. For any other request, only the answer is missing. */
export function failureOfExchange({
  sent,
  error,
}: Extract<Exchanged, { readonly is: 'failed' }>): ApiFailure {
  if (sent || !(error instanceof GivenUp)) return failureOfError(error);
  return error.because === 'old' ? { reason: 'late', message: error.message } : stopped;
}

/** Not sent, because the run is stopping. */
export const stopped: ApiFailure = { reason: 'aborted', message: '' };

/**
 * The failure of a transfer that a file on this machine caused; `what` names the transfer. Undefined if the file is not
 * the cause: then the error is a bug.
 */
export function failureOfFile(
  error: unknown,
  doing: 'reading' | 'writing',
  what: string,
): ApiFailure | undefined {
  const message = `${what} ${systemReason(error)}`;
  if (isMachineProblem(error, doing)) return { reason: 'local', message };
  return isSystemProblem(error) ? { reason: 'refused', status: 0, message } : undefined;
}
