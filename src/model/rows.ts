// The rows of a state file. Written: the first lines of each template are written in full, so that a person sees what a
// job is, a small file has no rows at all, and a damaged template can be made again from any of them. Read: the templates
// that a file has had so far, and the lines that its rows stand for.
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { validatorOf } from '../base/schema.ts';
import { type JobLine, lineText, readValue, type StateLine } from './line.ts';
import { templateSchema } from './row-schemas.ts';
import { type PackedLine, packed, type RowTemplate, stemOf, templateOf } from './row-template.ts';

/** How many lines of a template are written in full. */
const linesInFull = 32;
/** Beyond so many templates, no more are made: then lines have too little in common. */
const mostTemplates = 4_096;

interface Count {
  lines: number;
  /** Undefined until the template is in the file. */
  form: Form | undefined;
}

export class RowWriter {
  /** By the text of the template. */
  readonly #counts = new Map<string, Count>();
  readonly #names = new Set<string>();

  /** The text of a job line, whose keys are in order: the line, a row, or a template and its first row. */
  text(line: JobLine): string {
    const text = lineText(line);
    return this.#row(line, text, true) ?? this.#row(line, text, false) ?? text;
  }

  /** Undefined if the line is not to be a row, or not of such a template. */
  #row(line: JobLine, text: string, splits: boolean): string | undefined {
    const whole = packed(line, splits);
    const count = whole === undefined ? undefined : this.#countOf(whole, splits);
    if (whole === undefined || count === undefined) return undefined;
    count.lines += 1;
    // A split template is the better one, so it has the first chance.
    if (count.lines <= (splits ? linesInFull : 2 * linesInFull)) return undefined;
    const form = count.form ?? this.#formOf(whole);
    if (form === undefined) return undefined;
    const row = [form.template.template, ...whole.values];
    if (lineText(form.fill(row) ?? {}) !== text) return undefined;
    const isFirst = count.form === undefined;
    count.form = form;
    return isFirst ? `${lineText(form.template)}\n${lineText(row)}` : lineText(row);
  }

  #countOf({ columns, line }: PackedLine, splits: boolean): Count | undefined {
    const key = JSON.stringify([splits, columns, line]);
    const known = this.#counts.get(key);
    if (known !== undefined || this.#counts.size >= mostTemplates) return known;
    const count: Count = { lines: 0, form: undefined };
    this.#counts.set(key, count);
    return count;
  }

  /** Undefined if another template has the name already. */
  #formOf(whole: PackedLine): Form | undefined {
    const template = templateOf(whole);
    if (this.#names.has(template.template)) return undefined;
    const form = formOf(template);
    if (!form.ok) throw new Error(`bug: a template that nobody can read: ${form.error}`);
    this.#names.add(template.template);
    return form.value;
  }
}

export type Row =
  /** A template, which says nothing by itself. */
  | { readonly is: 'template' }
  /** What a row stands for. It may still be no valid line. */
  | { readonly is: 'job'; readonly value: JsonObject };

/** The line that a row stands for. */
export function jobOf(row: Result<Row, string>): Result<StateLine, string> {
  if (!row.ok) return row;
  const line = row.value.is === 'job' ? readValue(row.value.value) : undefined;
  return line?.ok === false || (line?.ok === true && line.value.type === 'job')
    ? line
    : err('it is a row of something that is no job');
}

/** True if a line is a template, or was one before it was damaged. */
export const isTemplate = (text: string): boolean => text.startsWith('{"template":');

export class RowReader {
  readonly #forms = new Map<string, Form>();

  /** Undefined for any other line. The error is the end of a sentence about the line. */
  read(text: string): Result<Row, string> | undefined {
    if (!text.startsWith('["') && !isTemplate(text)) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return err('it is not JSON');
    }
    if (!Array.isArray(value)) return this.#learn(value);
    const form = this.#forms.get(`${value[0]}`);
    if (form === undefined) return err('it is a row of a template that the file does not have');
    if (value.length !== form.template.columns.length + 1)
      return err('it is a row with more or fewer values than its template has columns');
    const line = form.fill(value);
    return line === undefined
      ? err('it is a row with a value that its template cannot use')
      : ok({ is: 'job', value: line });
  }

  /** Learns the templates that this line would have. */
  learnFrom(line: JobLine): void {
    for (const splits of [true, false]) {
      const whole = packed(line, splits);
      const template = whole === undefined ? undefined : templateOf(whole);
      if (template !== undefined && !this.#forms.has(template.template)) this.#learn(template);
    }
  }

  /** The fields that an unreadable row still tells. */
  fieldsIn(text: string): JsonObject {
    const values = scalarsIn(text);
    const form = this.#forms.get(`${values[0]}`);
    if (form !== undefined) return form.fillPartly(values);
    const job = values.map(hexOf).find((hex) => hex !== undefined);
    return job === undefined ? {} : { job };
  }

  #learn(value: unknown): Result<Row, string> {
    if (!isWhole(value)) return err('it is not a template');
    const known = this.#forms.get(value.template);
    if (known !== undefined)
      return JSON.stringify(known.template) === JSON.stringify(value)
        ? ok({ is: 'template' })
        : err(`a second template ${value.template}`);
    const form = formOf(value);
    if (!form.ok) return form;
    this.#forms.set(value.template, form.value);
    return ok({ is: 'template' });
  }
}

const isWhole = (value: unknown): value is RowTemplate =>
  isObject(value) && validatorOf(templateSchema)(value);

/** The complete values at the beginning of a row. */
function scalarsIn(text: string): readonly unknown[] {
  const scalar = /[[,]("(?:[^"\\\ufffd]|\\.)*"|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?=[,\]])/y;
  const values: unknown[] = [];
  for (let found = scalar.exec(text); found !== null; found = scalar.exec(text))
    values.push(parsed(found[1] ?? ''));
  return values;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An escape that was damaged.
    return undefined;
  }
}

// Reads a row: its template and its values give the job line.

/** A row: the name of its template, then the values of its columns. Values at the end may be lost. */
type Values = readonly unknown[];
/** Where the value of each column is in a row. */
type Columns = ReadonlyMap<string, number>;

/** A template that can be filled in. */
interface Form {
  readonly template: RowTemplate;
  /** Undefined if a value that is needed is missing, or is not of its kind. */
  fill(values: Values): JsonObject | undefined;
  /** The fields for which every value is there. */
  fillPartly(values: Values): JsonObject;
}

type Filler = (values: Values) => Json | undefined;

/** A part of a template: always the same, or filled in. What is the same is one object for all rows. */
type Part = { readonly same: Json } | { readonly fill: Filler };

/** The error is the end of a sentence about the line. */
function formOf({ template, columns, line }: RowTemplate): Result<Form, string> {
  if (templateOf({ columns, line }).template !== template)
    return err('the template is not the one that its name says: the line was edited');
  const places = new Map(columns.map((name, index) => [name, index + 1]));
  if (places.size !== columns.length) return err('two columns have one name');
  const parts: Part[] = [];
  for (const [key, value] of Object.entries(line)) {
    const part = partOf(value, places);
    if (part === undefined) return err(`${key} is of a column that the template does not have`);
    parts.push(part);
  }
  const keys = Object.keys(line);
  const fillPartly = (values: Values): JsonObject => {
    const filled: Record<string, Json> = {};
    for (const [index, part] of parts.entries()) {
      const value = 'same' in part ? part.same : part.fill(values);
      if (value !== undefined) filled[keys[index] ?? ''] = value;
    }
    return filled;
  };
  return ok({ template: { template, columns, line }, fill: objectFiller(keys, parts), fillPartly });
}

/** Undefined if the part names a column that is not there. */
function partOf(value: Json, columns: Columns): Part | undefined {
  if (typeof value === 'string') return textPart(value, columns);
  if (!isObject(value) && !Array.isArray(value)) return { same: value };
  const parts: readonly (Part | undefined)[] = Object.values(value).map((field: Json) =>
    partOf(field, columns),
  );
  if (!isComplete(parts)) return undefined;
  if (parts.every((part) => 'same' in part)) return { same: value };
  return { fill: isObject(value) ? objectFiller(Object.keys(value), parts) : listFiller(parts) };
}

/** Copies an object with what is the same and fills in the rest, which is faster than adding field after field. */
function objectFiller(
  keys: readonly string[],
  parts: readonly Part[],
): (values: Values) => JsonObject | undefined {
  const same: Record<string, Json> = {};
  const fillers: { readonly key: string; readonly fill: Filler }[] = [];
  for (const [index, part] of parts.entries()) {
    const key = keys[index] ?? '';
    same[key] = 'same' in part ? part.same : null;
    if ('fill' in part) fillers.push({ key, fill: part.fill });
  }
  return (values) => {
    const filled = { ...same };
    for (const { key, fill } of fillers) {
      const value = fill(values);
      if (value === undefined) return undefined;
      filled[key] = value;
    }
    return filled;
  };
}

function listFiller(parts: readonly Part[]): Filler {
  return (values) => {
    const list = parts.map((part) => ('same' in part ? part.same : part.fill(values)));
    return isComplete(list) ? list : undefined;
  };
}

const isComplete = <T>(list: readonly T[]): list is readonly Exclude<T, undefined>[] =>
  list.every((entry) => entry !== undefined);

const placeholder = /\{([^{}]*)\}/;

function textPart(text: string, columns: Columns): Part | undefined {
  // Texts and names of columns take turns.
  const pieces = text.split(placeholder);
  if (pieces.length === 1) return { same: text };
  const [before = '', name = '', after = ''] = pieces;
  if (pieces.length === 3 && before === '' && after === '') {
    const fill = columnFiller(name, columns);
    return fill === undefined ? undefined : { fill };
  }
  const fillers: readonly (Filler | undefined)[] = pieces.map((piece, index) =>
    index % 2 === 0 ? () => piece : columnFiller(piece, columns),
  );
  if (!isComplete(fillers)) return undefined;
  const fill: Filler = (values) => {
    let filled = '';
    for (const filler of fillers) {
      const piece = filler(values);
      if (typeof piece !== 'string') return undefined;
      filled += piece;
    }
    return filled;
  };
  return { fill };
}

function columnFiller(name: string, columns: Columns): Filler | undefined {
  const place = columns.get(name);
  if (place !== undefined) return (values) => scalarOf(values[place]);
  const item = columns.get('item');
  if (name === 'item.stem' && item !== undefined)
    return (values) => {
      const whole = values[item];
      return typeof whole === 'string' ? stemOf(whole) : undefined;
    };
  const hex = columns.get(/^(.+):hex$/.exec(name)?.[1] ?? '');
  if (hex !== undefined) return (values) => hexOf(values[hex]);
  const [at, seconds] = [columns.get('at'), columns.get(/^at\+(.+)$/.exec(name)?.[1] ?? '')];
  return at === undefined || seconds === undefined
    ? undefined
    : (values) => timeAfter(values[at], values[seconds]);
}

const scalarOf = (value: unknown): string | number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? value : undefined;

const digest = Buffer.alloc(32);

/** Undefined for anything but what 64 digits are written as: the last of 43 characters has four bits. */
function hexOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[\w-]{42}[048AEIMQUYcgkosw]$/.test(value)) return undefined;
  digest.write(value, 'base64url');
  return digest.toString('hex');
}

function timeAfter(at: unknown, seconds: unknown): string | undefined {
  if (typeof at !== 'string' || typeof seconds !== 'number') return undefined;
  const time = new Date(Date.parse(at) + Math.round(seconds * 1000));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
