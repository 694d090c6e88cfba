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

/** The error is the end of a sentence about the line. */
export function formOf({ template, columns, line }: RowTemplate): Result<Form, string> {
  if (templateOf({ columns, line }).template !== template)
    return err('the template is not the one that its name says: the line was edited');
  const places = new Map(columns.map((name, index) => [name, index + 1]));
  if (places.size !== columns.length) return err('two columns have one name');
  const fields: (readonly [string, Filler])[] = [];
  for (const [key, value] of Object.entries(line)) {
    const filler = fillerOf(value, places);
    if (filler === undefined) return err(`${key} is of a column that the template does not have`);
    fields.push([key, filler]);
  }
  const fillPartly = (values: Values): JsonObject => {
    const filled: Record<string, Json> = {};
    for (const [key, fill] of fields) {
      const value = fill(values);
      if (value !== undefined) filled[key] = value;
    }
    return filled;
  };
  const fill = (values: Values): JsonObject | undefined => {
    const filled: Record<string, Json> = {};
    for (const [key, of] of fields) {
      const value = of(values);
      if (value === undefined) return undefined;
      filled[key] = value;
    }
    return filled;
  };
  return ok({ template: { template, columns, line }, fill, fillPartly });
}

function fillerOf(value: Json, columns: Columns): Filler | undefined {
  if (typeof value === 'string') return textFiller(value, columns);
  if (Array.isArray(value)) {
    const parts: readonly (Filler | undefined)[] = value.map((entry: Json) =>
      fillerOf(entry, columns),
    );
    if (!isComplete(parts)) return undefined;
    return (values) => {
      const list: readonly (Json | undefined)[] = parts.map((part) => part(values));
      return isComplete(list) ? list : undefined;
    };
  }
  if (!isObject(value)) return () => value;
  const keys = Object.keys(value);
  const parts: readonly (Filler | undefined)[] = Object.values(value).map((field) =>
    fillerOf(field, columns),
  );
  if (!isComplete(parts)) return undefined;
  return (values) => {
    const filled: Record<string, Json> = {};
    for (const [index, part] of parts.entries()) {
      const field = part(values);
      if (field === undefined) return undefined;
      filled[keys[index] ?? ''] = field;
    }
    return filled;
  };
}

const isComplete = <T>(list: readonly T[]): list is readonly Exclude<T, undefined>[] =>
  list.every((entry) => entry !== undefined);

const placeholder = /\{([^{}]*)\}/;

function textFiller(text: string, columns: Columns): Filler | undefined {
  const pieces = text.split(placeholder);
  // Texts and names of columns take turns.
  const parts: readonly (Filler | undefined)[] = pieces.map((piece, index) =>
    index % 2 === 0 ? (): Json => piece : columnFiller(piece, columns),
  );
  if (!isComplete(parts)) return undefined;
  const [, only] = parts;
  if (parts.length === 3 && only !== undefined && pieces[0] === '' && pieces[2] === '') return only;
  return (values) => {
    let filled = '';
    for (const part of parts) {
      const piece = part(values);
      if (typeof piece !== 'string') return undefined;
      filled += piece;
    }
    return filled;
  };
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

/** Undefined for anything but what 64 digits are written as. */
export function hexOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[\w-]{43}$/.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.toString('base64url') === value ? bytes.toString('hex') : undefined;
}

function timeAfter(at: unknown, seconds: unknown): string | undefined {
  if (typeof at !== 'string' || typeof seconds !== 'number') return undefined;
  const time = new Date(Date.parse(at) + Math.round(seconds * 1000));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
