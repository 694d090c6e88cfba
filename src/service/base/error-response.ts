// The errors that the service answers requests with: a status and a sentence (interface.md, Errors).
import { err, type Result } from '../../base/result.ts';

export interface ErrorResponse {
  readonly status: 400 | 401 | 402 | 403 | 404 | 409 | 413 | 422;
  readonly message: string;
}

export const notFound: ErrorResponse = { status: 404, message: 'Not Found' };
export const unauthorized: ErrorResponse = { status: 401, message: 'Unauthorized' };

export function badRequest(message: string): { readonly ok: false; readonly error: ErrorResponse } {
  return err({ status: 400, message });
}

/** A handler throws it, and the request is answered with its error. Nothing was changed by then. */
export class RequestError extends Error {
  readonly statusCode: ErrorResponse['status'];
  constructor({ status, message }: ErrorResponse) {
    super(message);
    this.statusCode = status;
  }
}

export function orError<T>(result: Result<T, ErrorResponse>): T {
  if (!result.ok) throw new RequestError(result.error);
  return result.value;
}

export function orNotFound<T>(value: T | undefined): T {
  if (value === undefined) throw new RequestError(notFound);
  return value;
}
