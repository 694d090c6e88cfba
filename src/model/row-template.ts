// Row templates. Many job lines differ only in a few values. The state file then has one template with what they
// share, and below it a row of values for each line. A row takes a third of the bytes of a line. Nothing is lost: a
// template and a row give exactly the line that was written as this row.
import { digestOf } from '../base/digest.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { JobLine } from './line.ts';

export type Scalar = string | number;

export interface RowTemplate {
  /** The first digits of the digest of the rest, so that no row is ever read by another template than its own. */
  readonly template: string;
  /** The names of the values of a row. */
  readonly columns: readonly string[];
  /** The job line, with `{column}` in place of what a row says. */
  readonly line: JsonObject;
}

/** A line, taken apart. */
export interface PackedLine {
  readonly columns: readonly string[];
  readonly line: JsonObject;
  /** Of the columns. */
  readonly values: readonly Scalar[];
}

/** How many digits name a template. If two templates share a name, the file is refused, so few are enough. */
const digits = 6;

export function templateOf({ columns, line }: Omit<RowTemplate, 'template'>): RowTemplate {
  return { template: digestOf({ columns, line }).slice(0, digits), columns, line };
}

/** Texts that many jobs have in common. */
const commonTexts = new Set(['kind', 'state', 'of', 'type', 'code', 'message', 'stored']);
/** Numbers that many jobs have in common. */
const commonNumbers = new Set(['attempt', 'index', 'downloads', 'image_count', 'fps']);

/**
 * Undefined if the line is better written as it is: it has no item, or a history of its own. `splits`: paths and names
 * that have the item in them are split there, which is shorter if the rest of them is the same in many lines.
 */
export function packed(line: JobLine, splits: boolean): PackedLine | undefined {
  const [task = ''] = line.tasks;
  const item = task.slice(task.indexOf(':') + 1);
  if (item === task || item === '') return undefined;
  if (line.past !== undefined || line.take !== undefined || line.picked !== undefined)
    return undefined;
  const packing = new Packing(item, Date.parse(line.at), splits);
  const template = packing.object(line);
  if (packing.hasBraces) return undefined;
  return { columns: packing.names, line: template, values: packing.values };
}

class Packing {
  readonly names: string[] = ['item'];
  readonly values: Scalar[];
  /** A text that stays in the template has braces, which would be read as a column. */
  hasBraces = false;
  readonly #item: string;
  readonly #stem: string;
  /** The line's `at`, in milliseconds. */
  readonly #at: number;
  readonly #splits: boolean;

  constructor(item: string, at: number, splits: boolean) {
    this.values = [item];
    this.#item = item;
    this.#stem = stemOf(item);
    this.#at = at;
    this.#splits = splits;
  }

  object(value: object): Record<string, Json> {
    return Object.fromEntries(
      Object.entries(value).map(([key, field]: [string, unknown]) => [
        key,
        this.#field(key, field),
      ]),
    );
  }

  #field(key: string, value: unknown): Json {
    if (typeof value === 'string') return this.#text(key, value);
    if (typeof value === 'number')
      return commonNumbers.has(key) ? value : `{${this.#column(key, value)}}`;
    if (Array.isArray(value)) return value.map((entry: unknown) => this.#field(key, entry));
    if (isObject(value)) return this.object(value);
    return typeof value === 'boolean' ? value : null;
  }

  #text(key: string, text: string): string {
    if (commonTexts.has(key)) return this.#literal(text);
    if (key === 'job') return `{${this.#column(key, base64Of(text))}:hex}`;
    if (key === 'at') return this.#whole(key, text);
    const ms = this.#sinceAt(text);
    if (ms !== undefined) return `{at+${this.#column(key, ms / 1000)}}`;
    if (key === 'tasks' || key === 'task') return this.#aboutItem(text) ?? this.#whole(key, text);
    if (this.#splits && key === 'name') return this.#name(text);
    if (this.#splits && key === 'path') return this.#aboutItem(text) ?? this.#whole(key, text);
    return this.#whole(key, text);
  }

  /** `<pipeline> <task> #<chance>` */
  #name(text: string): string {
    const hash = text.lastIndexOf('#') + 1;
    const begins = this.#aboutItem(text.slice(0, hash));
    return begins === undefined
      ? this.#whole('name', text)
      : `${begins}{${this.#column('name', text.slice(hash))}}`;
  }

  /** A text that names the item. */
  #aboutItem(text: string): string | undefined {
    for (const [name, part] of [
      ['item', this.#item],
      ['item.stem', this.#stem],
    ] as const)
      if (part !== '' && text.includes(part))
        return text
          .split(part)
          .map((literal) => this.#literal(literal))
          .join(`{${name}}`);
    return undefined;
  }

  readonly #whole = (key: string, text: string): string => `{${this.#column(key, text)}}`;

  #literal(text: string): string {
    if (/[{}]/.test(text)) this.hasBraces = true;
    return text;
  }

  /** In milliseconds; undefined if the text is no time as the service and shotlist write it. */
  #sinceAt(text: string): number | undefined {
    if (!/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(text)) return undefined;
    const ms = Date.parse(text) - this.#at;
    return Number.isNaN(ms) ? undefined : ms;
  }

  /** The column that has this value, if there is one, or a new one. */
  #column(key: string, value: Scalar): string {
    const known = this.values.indexOf(value, 1);
    const same = known > 0 ? this.names[known] : undefined;
    if (same !== undefined) return same;
    const plain = /^\w+$/.test(key) ? key : 'value';
    let name = plain;
    for (let number = 2; this.names.includes(name); number++) name = `${plain}${number}`;
    this.names.push(name);
    this.values.push(value);
    return name;
  }
}

/** A file's name without its last extension; '' if it has none. */
export function stemOf(item: string): string {
  const dot = item.lastIndexOf('.');
  return dot > 0 ? item.slice(0, dot) : '';
}

/** A fingerprint in two thirds of its digits. */
const base64Of = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url');
