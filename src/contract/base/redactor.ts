// Hides the secrets of a run (the API key, the webhook secret) in everything that comes in and goes
// out.
//
// In: everything from the service is redacted as soon as it is parsed, before it is checked, stored
// or shown: answers (adapters/http/http-client.ts), the first answer (adapters/http/service-probe.ts)
// and events (adapters/http/event-receiver.ts). Out: the last line of defense, also against secrets
// in a pipeline or a file name: the state file (run/), the log (cli/log.ts) and the terminal
// (cli/terminal.ts). A run has no other outputs, except its requests to the service.
import { isObject } from './json.ts';

/**
 * Replaces a secret. It is not longer than any secret, so a redacted text stays within its bounds.
 */
const hidden = 'REDACTED';

/**
 * Shorter texts do not count as secrets: hiding every "a" or "test" would make messages unreadable.
 */
const shortest = hidden.length;

/**
 * Deeper values are dropped: no record of the service is nested so deeply, and each level costs
 * stack.
 */
const deepest = 64;

export class Redactor {
  readonly #secrets: RegExp | undefined;
  /** The same for one secret: it keeps no place in a text. */
  readonly #secret: RegExp | undefined;

  constructor(secrets: readonly (string | undefined)[]) {
    const known = secrets.filter((secret) => secret !== undefined && secret.length >= shortest);
    // The longest first, because one secret may begin with another.
    const patterns = [...new Set(known)]
      .sort((a = '', b = '') => b.length - a.length)
      .map((secret = '') => Array.from(secret, spellingsOf).join(''));
    this.#secrets = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'g');
    this.#secret = this.#secrets === undefined ? undefined : new RegExp(this.#secrets.source);
  }

  text(text: string): string {
    return this.#secrets === undefined ? text : text.replace(this.#secrets, hidden);
  }

  /**
   * False if no text in the data whose JSON this is can have a secret: without a backslash, every text stands in the
   * JSON as it is.
   */
  mayHide(json: string): boolean {
    return this.#secret !== undefined && (json.includes('\\') || this.#secret.test(json));
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
    return this.#redacted(value, 0) as T;
  }

  #redacted(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (!Array.isArray(value) && !isObject(value)) return value;
    if (depth === deepest) return null;
    if (Array.isArray(value)) {
      const list = value.map((entry) => this.#redacted(entry, depth + 1));
      return list.every((entry, index) => entry === value[index]) ? value : list;
    }
    let same = true;
    const entries = Object.entries(value).map(([key, field]): [string, unknown] => {
      const name = this.text(key);
      const told = this.#redacted(field, depth + 1);
      same &&= name === key && told === field;
      return [name, told];
    });
    return same ? value : Object.fromEntries(entries);
  }
}

/** True if the text opens so many lists and objects that they could be nested too deeply. */
const mayBeDeep = (text: string): boolean => text.split(/[[{]/, deepest + 1).length > deepest;

/**
 * The spellings of a character: plain, percent-encoded, or escaped in a JSON or JavaScript string.
 */
function spellingsOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(2, '0');
  const hex = Array.from(code, (digit) => `[${digit}${digit.toUpperCase()}]`).join('');
  const plain = /\w/.test(character) ? character : `\\u${code.padStart(4, '0')}`;
  return `(?:\\\\?${plain}|%${hex}|\\\\u00${hex}|\\\\x${hex})`;
}
