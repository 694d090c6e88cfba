// Decides whether the end of a journal is an event that a crash tore. Only such an event may be dropped: nothing relied
// on it, because it was never complete. Any other unreadable line may have been a payment.
import { isObject } from '../../contract/base/json.ts';
import { printableJson } from '../../contract/base/printable.ts';
import { type Schema, validatorOf } from '../../contract/base/schema.ts';
import { fingerprint } from './line-schemas.ts';
import type { RawLine } from './raw-line.ts';

type EventSchemas = Readonly<Record<string, Schema>>;

interface Above {
  /** The number of the previous event; 0 if there is none. */
  readonly seq: number;
  /** True if only the header precedes the line. The first event must then be that of a run. */
  readonly onlyHeader: boolean;
}

/**
 * A torn event was never relied on, so dropping it loses nothing. A torn header or job line is different: new and
 * compacted files are renamed into place whole, so something else cut the line, and everything after it is lost. The
 * same applies to zeros, which a power failure can leave in place of lines that were synced. `after` is the number of
 * the previous event; `events` are those of the file's format.
 */
export function isTorn(
  { text, wellFormed, midCharacter = false, terminated }: RawLine,
  number: number,
  after: number,
  events: EventSchemas,
): boolean {
  if (terminated || number === 1 || !(wellFormed || midCharacter)) return false;
  return isTornEvent(text, { seq: after, onlyHeader: number === 2 }, events);
}

/** True if `text` is a proper prefix of an event that a run could write next. */
export function isTornEvent(
  text: string,
  { seq, onlyHeader }: Above,
  schemas: EventSchemas,
): boolean {
  const start = `{"seq":${seq + 1},"event":"`;
  if (text.length <= start.length) return text !== '' && start.startsWith(text);
  if (!text.startsWith(start)) return false;
  const tail = text.slice(start.length);
  const name = /^[a-z]*/.exec(tail)?.[0] ?? '';
  const events = Object.entries(schemas).filter(([known]) => !onlyHeader || known === 'run');
  if (name === tail) return events.some(([known]) => known.startsWith(name));
  const properties = events.find(([known]) => known === name)?.[1]['properties'];
  return isObject(properties) && isBeginningOf(text, properties);
}

type Properties = Readonly<Record<string, unknown>>;

/** Stands for the cut-off rest of a text. No text in a line ends like this, so keys stay unique. */
const rest = '\0…';
const restText = JSON.stringify(rest).slice(1);
/** What to append to a text before its brackets can be closed. */
const lacks = ['', '0', ':0', `"${restText}:0`];

/** True if `text` is the beginning of an object with these properties, as this version or an older one writes it. */
function isBeginningOf(text: string, properties: Properties): boolean {
  const open = withoutOpenToken(text);
  if (open === undefined || open.closers === '') return false;
  return lacks.some((lacking) => {
    const closed = `${open.text}${lacking}${open.closers}`;
    const value = parsed(closed);
    if (!isObject(value) || !isSpelling(closed, JSON.stringify(value))) return false;
    const fields = Object.entries(value);
    const [lastKey = '', last] = fields.pop() ?? [];
    const key = withoutRest(lastKey);
    if (fields.some(([name, field]) => name === 'at' || !fits(field, propertyOf(properties, name))))
      return false;
    const schema = propertyOf(properties, key);
    if (open.closers.length > 1) return schema?.['type'] === 'object' && isObject(last);
    // The last field was cut off in its key, or before or inside its value.
    if (lacking.endsWith(':0')) return Object.keys(properties).some((name) => name.startsWith(key));
    if (open.text.endsWith(':')) return schema !== undefined;
    return beginsValue(last, open.token, schema);
  });
}

/** Lines are written with unsafe characters as escapes; older versions wrote the characters themselves. */
const isSpelling = (text: string, json: string): boolean =>
  text === json || text === printableJson(json);

const withoutRest = (text: string): string =>
  text.endsWith(rest) ? text.slice(0, -rest.length) : text;

function propertyOf(properties: Properties, key: string): Schema | undefined {
  const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isObject(schema) ? schema : undefined;
}

const fits = (value: unknown, schema: Schema | undefined): boolean =>
  schema !== undefined && validatorOf(schema)(value);

/** For a value that may be cut off: true if a longer value may be valid. */
function beginsValue(value: unknown, token: string, schema: Schema | undefined): boolean {
  const { type, pattern, enum: words, minimum = 0 } = schema ?? {};
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return false;
      if (Array.isArray(words))
        return words.some((word) => String(word).startsWith(withoutRest(value)));
      return pattern !== fingerprint.pattern || /^[0-9a-f]{0,64}$/.test(withoutRest(value));
    case 'integer':
      return (minimum === 0 ? /^(?:0|[1-9]\d*)$/ : /^[1-9]\d*$/).test(token);
    case 'object':
      return isObject(value);
    default:
      return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface OpenEnd {
  /** Ends with `rest` after a string that was cut off, or with 0 in place of `token`. */
  readonly text: string;
  /** A number or a literal at the end, which may be cut off. */
  readonly token: string;
  /** The brackets that close the open ones. */
  readonly closers: string;
}

/** Undefined if the text ends with something that cannot begin a JSON value. */
function withoutOpenToken(text: string): OpenEnd | undefined {
  let closers = '';
  let quoted = false;
  let cutEscape: number | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '\\') {
      const length = text[at + 1] === 'u' ? 6 : 2;
      if (at + length > text.length) cutEscape = at;
      at += length - 1;
    } else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{') closers = `}${closers}`;
    else if (character === '[') closers = `]${closers}`;
    else if (character === '}' || character === ']') closers = closers.slice(1);
  }
  if (quoted) {
    if (cutEscape !== undefined && !/^\\(u[0-9a-f]{0,3})?$/.test(text.slice(cutEscape)))
      return undefined;
    return { text: `${text.slice(0, cutEscape)}${restText}`, token: '', closers };
  }
  const token = /[-+.\w]+$/.exec(text)?.[0] ?? '';
  if (token === '') return { text, token, closers };
  const begins =
    ['true', 'false', 'null'].some((literal) => literal.startsWith(token)) ||
    /^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:e[-+]?\d*)?)?$/.test(token);
  return begins ? { text: `${text.slice(0, -token.length)}0`, token, closers } : undefined;
}
