// The paging of the hub's lists: `?limit=` and `?before=`.
import { ok, type Result } from '../../contract/base/result.ts';
import { badRequest, type ErrorResponse } from '../base/error-response.ts';

export function limitOf(text: string | undefined): Result<number, ErrorResponse> {
  if (text === undefined) return ok(100);
  const limit = wholeNumber(text);
  return limit >= 1 && limit <= 500
    ? ok(limit)
    : badRequest(`limit must be a whole number from 1 to 500, not ${JSON.stringify(text)}.`);
}

/** Only entries with a lower sequence number. */
export function beforeOf(text: string | undefined): Result<number | undefined, ErrorResponse> {
  if (text === undefined) return ok(undefined);
  const before = wholeNumber(text);
  return Number.isSafeInteger(before)
    ? ok(before)
    : badRequest(`before must be a whole number, not ${JSON.stringify(text)}.`);
}

const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);
