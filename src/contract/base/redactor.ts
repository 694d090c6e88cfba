// Hides the secrets of a run (the API key, the webhook secret) in whatever comes in and whatever goes out.
//
// In: everything that the service says is redacted as soon as it is parsed, before anything is checked, kept or shown:
// its answers (edge/http-client.ts), its first answer (edge/greeting.ts) and its events (edge/event-receiver.ts).
// Out: the last line of defence, also against secrets in a pipeline or a file name: the state file (run/recorder.ts), the log
// (cli/log.ts) and the terminal (cli/terminal.ts). Nothing else leaves a run but requests to the service itself.
import { isObject } from './json.ts';

/** In place of a secret. Not longer than any secret: a text with a bound does not outgrow it. */
const hidden = 'REDACTED';

/** Shorter ones are no secrets: hiding every "a" or "test" would hide what people must read. */
const shortest = hidden.length;

/** Deeper values are dropped: no noun of the service's is nested so deep, and each level costs stack. */
const deepest = 64;

export class Redactor {
  readonly #secrets: RegExp | undefined;

  constructor(secrets: readonly (string | undefined)[]) {
    const known = secrets.filter((secret) => secret !== undefined && secret.length >= shortest);
    // The longest first: one secret may begin with another.
    const patterns = [...new Set(known)]
      .sort((a = '', b = '') => b.length - a.length)
      .map((secret = '') => Array.from(secret, spellingsOf).join(''));
    this.#secrets = patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'g');
  }

  text(text: string): string {
    return this.#secrets === undefined ? text : text.replace(this.#secrets, hidden);
  }

  /** Plain data, such as parsed JSON: every text in it, names included. Data without a secret is answered as it is. */
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

/** Ways to write a character of a secret: as it is, percent-encoded, or escaped in JSON or a string of JavaScript. */
function spellingsOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).padStart(2, '0');
  const hex = Array.from(code, (digit) => `[${digit}${digit.toUpperCase()}]`).join('');
  const plain = /\w/.test(character) ? character : `\\u${code.padStart(4, '0')}`;
  return `(?:\\\\?${plain}|%${hex}|\\\\u00${hex}|\\\\x${hex})`;
}
