// Bounds of the values in an answer. Answers are untrusted input that ends up in addresses, in the
// state file, in sums of credits and on a screen, so each kind of value has one rule, for answers
// and for the journal.
import type { ErrorObject } from '../../base/schema.ts';

/**
 * The highest believable price of one project. No published price comes near a millionth of this,
 * and the sum of nine million such projects is still an exact number.
 */
export const mostCredits = 1_000_000_000;

/** The largest sum of credits, such as a balance: the largest exact integer. */
export const mostInAll = Number.MAX_SAFE_INTEGER;

/** The most downloads of a project, faces in a picture, or upload addresses in an answer. */
export const mostListed = 1_000;

const maxAddressChars = 8_192;

export const creditsSchema = { type: 'integer', minimum: 0, maximum: mostCredits } as const;

/** Text without control characters and without half characters (lone surrogates). */
const clean = '[^\\p{Cc}\\p{Cs}]';

/**
 * An id goes into a path, so it must not be a step up in it, and it must have a percent-encoded
 * form.
 */
const idPattern = `^(?!\\.{1,2}$)${clean}+$`;

export const serviceId = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: idPattern,
  description: 'An id from the service.',
} as const;

/**
 * The service's path of an uploaded file or a face. An address with a user or a query may hold a
 * secret.
 */
const assetPattern = `^(?!https?://[^/]*@)(?!https?://[^#]*\\?)${clean}+$`;

export const assetPath = {
  type: 'string',
  minLength: 1,
  maxLength: 2_000,
  pattern: assetPattern,
} as const;

/** An address that is requested, and never stored. */
export const address = {
  type: 'string',
  minLength: 1,
  maxLength: maxAddressChars,
} as const;

/** A short text from the service: a status, a type. */
export const word = { type: 'string', maxLength: 100, pattern: `^${clean}*$` } as const;

/** A number of pixels or pictures; -1 if unknown. */
export const whole = { type: 'integer', minimum: -1, maximum: mostCredits } as const;

/** Seconds, or frames per second. */
export const amount = { type: 'number', minimum: -mostCredits, maximum: mostCredits } as const;

/** ISO 8601. */
export const timestamp = { type: 'string', maxLength: 64 } as const;

const patternReasons: ReadonlyMap<unknown, string> = new Map([
  [idPattern, 'is not a usable id: it contains control or half characters, or is "." or ".."'],
  [
    assetPattern,
    'is not a usable file path: it contains control or half characters, or is a signed address',
  ],
]);

/** The end of a sentence that says why a value does not match its schema. */
export function reasonOf(errors: readonly ErrorObject[] | null | undefined): string {
  const [error] = errors ?? [];
  const rule = error?.keyword === 'pattern' ? patternReasons.get(error.schema) : undefined;
  return `${error?.instancePath || 'it'} ${rule ?? error?.message ?? 'is not valid'}`;
}
