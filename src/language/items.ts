// Items: where the items of a pipeline come from, how they are named, and which are left out.
import { isObject, type Json } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import type { Expression } from './expression.ts';

export type Scalar = string | number | boolean;

/** YAML may write the same value as a number or as text. */
export const sameScalar = (one: Scalar, other: Scalar): boolean => String(one) === String(other);

/** An entry of `include` or `exclude`. */
export interface MatrixRule {
  /** Values of the matrix, by name. */
  readonly values: Readonly<Record<string, Scalar>>;
  /** Fields of the items that the rule is about; empty for all items. */
  readonly item: Readonly<Record<string, Scalar>>;
}

export interface Matrix {
  /** In the order of the file: the first one varies slowest. */
  readonly variables: readonly (readonly [name: string, values: readonly Scalar[]])[];
  readonly include: readonly MatrixRule[];
  readonly exclude: readonly MatrixRule[];
}

/** What every source of items may have. */
interface Choice {
  readonly matrix?: Matrix;
  /** The field that names the items. */
  readonly key?: string;
  /** Items for which it is false are left out. */
  readonly when?: Expression;
}

export type ColumnType = 'string' | 'number' | 'boolean';

export type Items =
  | { readonly kind: 'one' }
  | (Choice & { readonly kind: 'glob'; readonly patterns: readonly string[] })
  | (Choice & { readonly kind: 'values'; readonly values: readonly Json[] })
  | (Choice & {
      readonly kind: 'csv';
      readonly file: string;
      readonly delimiter: string;
      /** By column. A column that is not named is text. */
      readonly types: Readonly<Record<string, ColumnType>>;
    })
  | (Choice & { readonly kind: 'jsonl'; readonly file: string })
  /** Only the combinations of the matrix. */
  | (Choice & { readonly kind: 'matrix'; readonly matrix: Matrix });

/** The fields of `item` that are read from the file itself, and only if an expression uses them. */
export const measuredFields = ['bytes', 'sha256', 'width', 'height', 'duration'] as const;
export type MeasuredField = (typeof measuredFields)[number];

const text = { type: 'string' } as const;
const integer = { type: 'integer' } as const;

/** The fields of every item, with the schemas of their values. */
export const itemFields: Readonly<Record<string, Schema>> = { key: text, index: integer };

/** The fields of an item that is a file. */
export const fileItemFields: Readonly<Record<string, Schema>> = {
  ...itemFields,
  // A path on this machine, which the service cannot read.
  path: { ...text, format: 'path' },
  name: text,
  stem: text,
  ext: text,
  dir: text,
  bytes: integer,
  sha256: text,
  width: integer,
  height: integer,
  duration: { type: 'number' },
};

/** True if a pattern in a list excludes files. `!(…)` is a group of a glob. */
export const isExclusion = (pattern: string): boolean => /^!(?!\()/.test(pattern);

/** The patterns of a glob; a single text is one pattern. */
export const patternsOf = (glob: Json | undefined): readonly string[] =>
  Array.isArray(glob) ? glob.map(String) : glob === undefined ? [] : [String(glob)];

/** Reads `items:` of a valid document. */
export function itemsOf(items: Json | undefined, when: Expression | undefined): Items {
  if (!isObject(items)) return { kind: 'one' };
  const { glob, csv, delimiter, jsonl, values, key } = items;
  const matrix = items['matrix'] === undefined ? undefined : matrixOf(items['matrix']);
  const choice: Choice = { matrix, key: typeof key === 'string' ? key : undefined, when };
  if (glob !== undefined) return { ...choice, kind: 'glob', patterns: patternsOf(glob) };
  if (typeof csv === 'string')
    return {
      ...choice,
      kind: 'csv',
      file: csv,
      types: typesOf(items['types']),
      delimiter: typeof delimiter === 'string' ? delimiter : /\.tsv$/i.test(csv) ? '\t' : ',',
    };
  if (typeof jsonl === 'string') return { ...choice, kind: 'jsonl', file: jsonl };
  if (Array.isArray(values)) return { ...choice, kind: 'values', values };
  return { ...choice, kind: 'matrix', matrix: matrix ?? emptyMatrix };
}

const columnTypes: readonly ColumnType[] = ['string', 'number', 'boolean'];

function typesOf(written: Json | undefined): Readonly<Record<string, ColumnType>> {
  const types = Object.entries(isObject(written) ? written : {});
  return Object.fromEntries(
    types.flatMap(([column, type]) =>
      columnTypes.filter((known) => known === type).map((known) => [column, known]),
    ),
  );
}

const emptyMatrix: Matrix = { variables: [], include: [], exclude: [] };

/** Reads a matrix whose shape is valid, and what is valid of any other. */
export function matrixOf(written: Json): Matrix {
  if (!isObject(written)) return emptyMatrix;
  const { include, exclude, ...lists } = written;
  return {
    variables: Object.entries(lists).map(([name, values]) => [name, scalarsOf(values)]),
    include: rulesOf(include),
    exclude: rulesOf(exclude),
  };
}

/** The names that expressions may use after `matrix.`. */
export function matrixNames({ variables, include }: Matrix): readonly string[] {
  const added = include.flatMap(({ values }) => Object.keys(values));
  return [...new Set([...variables.map(([name]) => name), ...added])];
}

const isScalar = (value: Json | undefined): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const scalarsOf = (values: Json): readonly Scalar[] =>
  Array.isArray(values) ? values.filter(isScalar) : [];

const itemPrefix = 'item.';

function rulesOf(written: Json | undefined): readonly MatrixRule[] {
  if (!Array.isArray(written)) return [];
  return written.filter(isObject).map((entry) => {
    const pairs = Object.entries(entry).flatMap(([name, value]): [string, Scalar][] =>
      isScalar(value) ? [[name, value]] : [],
    );
    const aboutItem = pairs.filter(([name]) => name.startsWith(itemPrefix));
    return {
      values: Object.fromEntries(pairs.filter(([name]) => !name.startsWith(itemPrefix))),
      item: Object.fromEntries(
        aboutItem.map(([name, value]) => [name.slice(itemPrefix.length), value]),
      ),
    };
  });
}
