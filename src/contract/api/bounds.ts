// What a value in an answer may hold at most. A service's answers are input like any other: they end up in addresses, in
// the state file, in sums of credits and on a screen, so each kind of value has one rule, in answers and in the journal.
import type { ErrorObject } from '../base/schema.ts';

/**
 * The most credits that one project is believed to cost. No published price comes near a millionth of it, and the sums of
 * nine million such projects are still exact numbers.
 */
export const mostCredits = 1_000_000_000;

/** Sums of credits (a balance, what a run came to): as far as whole numbers are exact. */
export const mostInAll = Number.MAX_SAFE_INTEGER;

/** Downloads of a project, faces of a picture, upload addresses in an answer. */
export const mostListed = 1_000;

/** The longest address that is used, in characters. */
const longestAddress = 8_192;

export const creditsSchema = { type: 'integer', minimum: 0, maximum: mostCredits } as const;

/** Text without control characters and without half characters (lone surrogates). */
const clean = '[^\\p{Cc}\\p{Cs}]';

/** An id goes into a path, so it must not be a step up in it, and it must have a percent-encoded form. */
const idPattern = `^(?!\\.{1,2}$)${clean}+$`;

export const serviceId = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: idPattern,
  description: 'An id that the service gave.',
} as const;

/** What the service calls an uploaded file or a face. An address with a user or a query may hold a secret. */
const assetPattern = `^(?!https?://[^/]*@)(?!https?://[^#]*\\?)${clean}+$`;

export const assetPath = {
  type: 'string',
  minLength: 1,
  maxLength: 2_000,
  pattern: assetPattern,
} as const;

/** An address that is asked for, and never kept. */
export const address = {
  type: 'string',
  minLength: 1,
  maxLength: longestAddress,
} as const;

/** A word or two of the service's: a status, a type. */
export const word = { type: 'string', maxLength: 100, pattern: `^${clean}*$` } as const;

/** A count of pixels or pictures; -1: not known. */
export const whole = { type: 'integer', minimum: -1, maximum: mostCredits } as const;

/** Seconds, or frames a second. */
export const amount = { type: 'number', minimum: -mostCredits, maximum: mostCredits } as const;

/** ISO 8601. */
export const timestamp = { type: 'string', maxLength: 64 } as const;

const said: ReadonlyMap<unknown, string> = new Map([
  [idPattern, 'is not a usable id: it has control or half characters, or is "." or ".."'],
  [
    assetPattern,
    'is not a usable file path: it has control or half characters, or is a signed address',
  ],
]);

/** Why a value does not fit its schema, as the end of a sentence. */
export function reasonOf(errors: readonly ErrorObject[] | null | undefined): string {
  const [error] = errors ?? [];
  const rule = error?.keyword === 'pattern' ? said.get(error.schema) : undefined;
  return `${error?.instancePath || 'it'} ${rule ?? error?.message ?? 'is not valid'}`;
}
