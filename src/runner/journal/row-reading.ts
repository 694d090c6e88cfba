// Reads a row: its template and its values give the job line.
import { isObject, type Json, type JsonObject } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { type RowTemplate, stemOf, templateOf } from './row-template.ts';

/** A row: the name of its template, then the values of its columns. Values at the end may be lost. */
type Values = readonly unknown[];
/** Where the value of each column is in a row. */
type Columns = ReadonlyMap<string, number>;

/** A template that can be filled in. */
export interface Form {
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
export function formOf({ template, columns, line }: RowTemplate): Result<Form, string> {
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
export function hexOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[\w-]{42}[048AEIMQUYcgkosw]$/.test(value)) return undefined;
  digest.write(value, 'base64url');
  return digest.toString('hex');
}

function timeAfter(at: unknown, seconds: unknown): string | undefined {
  if (typeof at !== 'string' || typeof seconds !== 'number') return undefined;
  const time = new Date(Date.parse(at) + Math.round(seconds * 1000));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
