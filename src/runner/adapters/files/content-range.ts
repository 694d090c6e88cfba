// What the headers of an answer say about its bytes: which they are, of how many, and by what a later request can
// ask whether they are still the same (RFC 9110, 13.1.5 and 14.4).

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The content that an answer is about: what names this version of it, and how many bytes it has in all. */
export interface Version {
  /** For If-Range. */
  readonly validator: string;
  readonly total: number;
}

/** What `If-Range` may carry: a strong entity tag or a date, and nothing that would break a header. */
export const validatorPattern = '^("[\\x21\\x23-\\x7e]*"|[A-Z][a-z]{2}, [0-9A-Za-z: ]+ GMT)$';
const isValidator = new RegExp(validatorPattern);

/** Undefined: the answer does not name its version well enough to ask for the rest of it. */
export function validatorOf(headers: Headers): string | undefined {
  const etag = headers['etag'];
  if (typeof etag === 'string' && isValidator.test(etag)) return etag;
  const modified = headers['last-modified'];
  if (typeof modified !== 'string' || !isValidator.test(modified)) return undefined;
  // Within the same second the content could have been written twice.
  const age = Date.parse(String(headers['date'])) - Date.parse(modified);
  return age >= 1000 ? modified : undefined;
}

/** True when the answer names another version than this one; one that names none is believed. */
export function isOtherVersion(headers: Headers, { validator }: Version): boolean {
  const name = validator.startsWith('"') ? 'etag' : 'last-modified';
  const named = headers[name];
  return named !== undefined && named !== validator;
}

/** Bytes that the head of an answer says will come; undefined where it does not say. */
export function lengthOf(headers: Headers): number | undefined {
  const length = headers['content-length'];
  return typeof length === 'string' && /^\d+$/.test(length) ? Number(length) : undefined;
}

export interface ContentRange {
  readonly start: number;
  /** The last byte, included. */
  readonly end: number;
  readonly total: number;
}

/** Undefined: there is none, it is nonsense, or the total is not told. */
export function contentRangeOf(headers: Headers): ContentRange | undefined {
  const [, start, end, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? [];
  if (start === undefined || end === undefined || total === undefined) return undefined;
  const range = { start: Number(start), end: Number(end), total: Number(total) };
  return range.start <= range.end && range.end < range.total ? range : undefined;
}
