// Hides the secrets of a run (the API key, the webhook secret) in everything that comes in and goes
// out: plain, percent-encoded, escaped, and in Base64.
//
// In: everything from the service is redacted as soon as it is parsed, before it is checked, stored
// or shown: answers (service-api/http-client.ts), the first answer (service-api/service-probe.ts)
// and events (service-api/event-receiver.ts). Out: the last line of defense, also against secrets
// in a pipeline or a file name: the state file (core/journal.ts), the log and the
// terminal (terminal/output.ts). A run has no other outputs, except its requests to the service.
import { isObject } from './json.ts';

/**
 * Replaces a secret. It is not longer than any secret, so a redacted text stays within its bounds.
 */
const replacement = 'REDACTED';

/**
 * Shorter texts do not count as secrets: hiding every "a" or "test" would make messages unreadable.
 */
const minSecretChars = replacement.length;

/**
 * Deeper values are dropped: no record of the service is nested so deeply, and each level costs
 * stack.
 */
const maxDepth = 64;

export class Redactor {
  /** The secrets, and what the Base64 of a text with one of them contains. */
  readonly #literals: readonly string[];
  /** The characters of each secret, in all spellings. */
  readonly #spelled: readonly (readonly Spellings[])[];
  /** A shorter text has no secret, in no spelling. */
  readonly #least: number;

  constructor(secrets: readonly (string | undefined)[]) {
    const known = new Set(secrets.filter((secret) => secret !== undefined));
    const long = [...known].filter((secret) => secret.length >= minSecretChars);
    this.#literals = [...new Set(long.flatMap((secret) => [secret, ...inBase64(secret)]))];
    this.#spelled = long.map((secret) => Array.from(secret, spellingsOf));
    this.#least = Math.min(...this.#literals.map(({ length }) => length));
  }

  text(text: string): string {
    const places = this.#placesIn(text);
    if (places.length === 0) return text;
    let redacted = '';
    let end = 0;
    for (const { from, to } of places.sort((a, b) => a.from - b.from)) {
      // One secret may begin with another, or stand in its Base64.
      if (from >= end) redacted += text.slice(end, from) + replacement;
      end = Math.max(end, to);
    }
    return redacted + text.slice(end);
  }

  /**
   * False if no text in the data whose JSON this is can have a secret: without a backslash, every text stands in the
   * JSON as it is.
   */
  mayHide(json: string): boolean {
    return this.#literals.length > 0 && (json.includes('\\') || this.#placesIn(json).length > 0);
  }

  /**
   * The value of a JSON text, redacted. Only a text that may hide a secret is walked through: one
   * that contains a secret or an escaped character, or is nested too deeply. Throws SyntaxError.
   */
  json(text: string): unknown {
    const value: unknown = JSON.parse(text);
    const isPlain = !this.mayHide(text) && !mayBeDeep(text);
    return isPlain ? value : this.value(value);
  }

  /**
   * Redacts every text in plain data, including names. Data without a secret is returned unchanged.
   */
  value<T>(value: T): T {
    // The same shape with other texts.
    return this.#isPlain(value, 0) ? value : (this.#redacted(value, 0) as T);
  }

  /** Quick, because nearly all data is plain: no text can have a secret, and nothing is nested too deeply. */
  #isPlain(value: unknown, depth: number): boolean {
    if (typeof value === 'string') return this.#isPlainText(value);
    if (!Array.isArray(value) && !isObject(value)) return true;
    if (depth === maxDepth) return false;
    if (Array.isArray(value)) return value.every((entry) => this.#isPlain(entry, depth + 1));
    for (const key in value)
      if (!this.#isPlainText(key) || !this.#isPlain(value[key], depth + 1)) return false;
    return true;
  }

  #isPlainText(text: string): boolean {
    if (text.length < this.#least) return true;
    if (text.includes('%') || text.includes('\\')) return false;
    return !this.#literals.some((literal) => text.includes(literal));
  }

  /**
   * Compared character by character, because a pattern made from a secret can be too large, and the error about it would
   * contain the secret.
   */
  #placesIn(text: string): Place[] {
    const places: Place[] = [];
    for (const literal of this.#literals)
      for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1))
        places.push({ from: at, to: at + literal.length });
    if (!text.includes('%') && !text.includes('\\')) return places;
    for (const secret of this.#spelled)
      for (let at = 0; at < text.length; at += 1) {
        const to = endOf(text, secret, at);
        if (to !== undefined) places.push({ from: at, to });
      }
    return places;
  }

  #redacted(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (!Array.isArray(value) && !isObject(value)) return value;
    if (depth === maxDepth) return null;
    if (Array.isArray(value)) {
      const list = value.map((entry) => this.#redacted(entry, depth + 1));
      return list.every((entry, index) => entry === value[index]) ? value : list;
    }
    let same = true;
    const entries = Object.entries(value).map(([key, field]): [string, unknown] => {
      const name = this.text(key);
      const redacted = this.#redacted(field, depth + 1);
      same &&= name === key && redacted === field;
      return [name, redacted];
    });
    return same ? value : Object.fromEntries(entries);
  }
}

/** True if the text opens so many lists and objects that they could be nested too deeply. */
function mayBeDeep(text: string): boolean {
  let opened = 0;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened >= maxDepth) return true;
    }
  return false;
}

/** Half-open. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** How a character may stand in a text. */
interface Spellings {
  readonly plain: string;
  /** In lower case, found in either: percent-encoded, or escaped in a JSON or JavaScript string. */
  readonly escaped: readonly string[];
}

function spellingsOf(plain: string): Spellings {
  const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
  const bytes = Array.from(Buffer.from(plain), (byte) => hex(byte, 2));
  const units = Array.from({ length: plain.length }, (_, unit) => plain.charCodeAt(unit));
  return {
    plain,
    escaped: [
      bytes.map((byte) => `%${byte}`).join(''),
      units.map((unit) => `\\u${hex(unit, 4)}`).join(''),
      units.map((unit) => `\\x${hex(unit, 2)}`).join(''),
    ],
  };
}

const percent = 0x25;
const backslash = 0x5c;
const startsEscape = (code: number): boolean => code === percent || code === backslash;

/** Where the secret ends that begins here, in any mixture of spellings; undefined if none does. */
function endOf(text: string, secret: readonly Spellings[], from: number): number | undefined {
  if (!mayBegin(text, secret, from)) return undefined;
  let ends: readonly number[] = [from];
  for (const spellings of secret) {
    const next = ends.flatMap((end) => endsOf(text, spellings, end));
    // A "%" or a backslash in the secret may be read in two ways.
    ends = next.length > 1 ? [...new Set(next)] : next;
    if (ends.length === 0) return undefined;
  }
  return Math.max(...ends);
}

/** Quick, because this is asked of every place in a text, and nearly always the answer is no. */
function mayBegin(text: string, secret: readonly Spellings[], at: number): boolean {
  const first = secret[0];
  const second = secret[1];
  if (first === undefined || second === undefined) return false;
  const code = text.charCodeAt(at);
  if (startsEscape(code)) return endsOf(text, first, at).length > 0;
  if (code !== first.plain.charCodeAt(0)) return false;
  const { length } = first.plain;
  const next = text.charCodeAt(at + length);
  return next === second.plain.charCodeAt(0) || startsEscape(next);
}

function endsOf(text: string, { plain, escaped }: Spellings, from: number): readonly number[] {
  const ends: number[] = [];
  if (text.startsWith(plain, from)) ends.push(from + plain.length);
  const code = text.charCodeAt(from);
  if (!startsEscape(code)) return ends;
  // Some programs escape any character so.
  if (code === backslash && text.startsWith(plain, from + 1)) ends.push(from + 1 + plain.length);
  for (const spelling of escaped)
    if (standsAt(text, spelling, from)) ends.push(from + spelling.length);
  return ends;
}

/** A letter in either case, or another character; `spelling` is in lower case. */
function standsAt(text: string, spelling: string, from: number): boolean {
  for (let index = 0; index < spelling.length; index += 1) {
    const wanted = spelling.charCodeAt(index);
    const code = text.charCodeAt(from + index);
    if (code !== wanted && (code | 0x20) !== wanted) return false;
  }
  return true;
}

/**
 * What the Base64 of any text with the secret in it contains, in both alphabets and inside an address or a JSON string. Three
 * bytes are four letters, so the letters depend on where the secret begins; those that share bits with a neighbor are left out.
 */
function inBase64(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const letters = bytes
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [
      ['+', '/'],
      ['-', '_'],
      ['%2B', '%2F'],
      ['%2b', '%2f'],
      ['+', '\\/'],
    ].map(([plus = '', slash = '']) => letters.replaceAll('+', plus).replaceAll('/', slash));
  });
}
