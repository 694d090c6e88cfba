// The errors that the service answers requests with, as values: a status and a sentence (interface.md, Errors).
import { err } from '../../contract/base/result.ts';

export interface ErrorResponse {
  readonly status: 400 | 401 | 402 | 403 | 404 | 409 | 413 | 422;
  readonly message: string;
}

export const notFound: ErrorResponse = { status: 404, message: 'Not Found' };
export const unauthorized: ErrorResponse = { status: 401, message: 'Unauthorized' };

export function badRequest(message: string): { readonly ok: false; readonly error: ErrorResponse } {
  return err({ status: 400, message });
}
