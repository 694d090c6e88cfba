// Reads the headers of an answer that describe its bytes: the range, the total, and the validator by which a later
// request can check that the content has not changed (RFC 9110, 13.1.5 and 14.4).

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A version of a content: its validator, and its total length in bytes. */
export interface Version {
  /** For If-Range. */
  readonly validator: string;
  readonly total: number;
}

/** What `If-Range` may contain: a strong entity tag or a date, and nothing that would break a header. */
export const validatorPattern = '^("[\\x21\\x23-\\x7e]*"|[A-Z][a-z]{2}, [0-9A-Za-z: ]+ GMT)$';
const isValidator = new RegExp(validatorPattern);

/** Undefined if the answer has no strong validator. Then the rest of the content cannot be requested safely. */
export function validatorOf(headers: AnswerHeaders): string | undefined {
  const etag = headers['etag'];
  if (typeof etag === 'string' && isValidator.test(etag)) return etag;
  const modified = headers['last-modified'];
  if (typeof modified !== 'string' || !isValidator.test(modified)) return undefined;
  // The content could have been written twice within the same second.
  const age = Date.parse(String(headers['date'])) - Date.parse(modified);
  return age >= 1000 ? modified : undefined;
}

/** True if the answer names another version than this one. An answer without a validator is believed. */
export function isOtherVersion(headers: AnswerHeaders, { validator }: Version): boolean {
  const name = validator.startsWith('"') ? 'etag' : 'last-modified';
  const named = headers[name];
  return named !== undefined && named !== validator;
}

/** The length of the body in bytes, from the headers; undefined if they do not give it. */
export function lengthOf(headers: AnswerHeaders): number | undefined {
  const length = headers['content-length'];
  return typeof length === 'string' && /^\d+$/.test(length) ? Number(length) : undefined;
}

export interface ContentRange {
  readonly start: number;
  /** The last byte, inclusive. */
  readonly end: number;
  readonly total: number;
}

/** Undefined if the header is missing or invalid, or does not give the total. */
export function contentRangeOf(headers: AnswerHeaders): ContentRange | undefined {
  const [, start, end, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? [];
  if (start === undefined || end === undefined || total === undefined) return undefined;
  const range = { start: Number(start), end: Number(end), total: Number(total) };
  return range.start <= range.end && range.end < range.total ? range : undefined;
}
