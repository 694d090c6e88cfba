// Item: one unit of the fan-out, as it was when the run began.
import { isObject, type Json, type JsonObject } from '../base/json.ts';

export interface Item {
  /**
   * Unique among the items, and stable between runs: a path below the glob's folder, or a row's key or number, then the
   * values of the matrix.
   */
  readonly key: string;
  /** The value of `item` in expressions. */
  readonly fields: JsonObject;
  /** The value of `matrix` in expressions. */
  readonly matrix?: JsonObject;
  /** Fields that expressions use and that the item's file does not have: why, as the end of a sentence about the file. */
  readonly lacks?: Readonly<Record<string, string>>;
  /** Where the item is written, for an item from a table. */
  readonly cell?: (columns: readonly string[]) => Cell;
}

/** The place of a value in a table. */
export interface Cell extends CellPlace {
  /** The file as the user would name it. */
  readonly file: string;
  /** The file as the pipeline names it, for sentences that are recorded; never an absolute path. */
  readonly name: string;
}

export interface CellPlace {
  /** Lines and columns count from 1; the end is exclusive. */
  readonly span: {
    readonly line: number;
    readonly column: number;
    readonly endLine: number;
    readonly endColumn: number;
  };
  /** The lines around the place. */
  readonly excerpt: { readonly firstLine: number; readonly text: string };
}

/** An item from a file that a glob found. Both paths use "/", in the form of the glob. */
export function fileItem(path: string, base: string, index: number): Item {
  const key = path.startsWith(base) ? path.slice(base.length) : path;
  const slash = key.lastIndexOf('/');
  const name = key.slice(slash + 1);
  const dot = name.lastIndexOf('.');
  return {
    key,
    fields: {
      key,
      index,
      path,
      name,
      stem: dot > 0 ? name.slice(0, dot) : name,
      ext: dot > 0 ? name.slice(dot + 1) : '',
      dir: slash < 0 ? '.' : key.slice(0, slash),
    },
  };
}

/** An item from an entry of `values`, or from a row. Its key is its `key` field, or its number from 1. */
export function valueItem(value: Json, index: number): Item {
  const fields: JsonObject = isObject(value) ? value : { value };
  const own = fields['key'];
  const key = typeof own === 'string' || typeof own === 'number' ? String(own) : String(index + 1);
  return { key, fields: { ...fields, key, index } };
}

/**
 * The part of a glob before its first wildcard or escape, up to its last "/". Parentheses count as wildcards only in
 * `@(…)` and the like.
 */
export function globBase(pattern: string): string {
  const wild = pattern.search(/[*?[\]{}\\]|[!+@]\(/);
  const fixed = wild < 0 ? pattern : pattern.slice(0, wild);
  return fixed.slice(0, fixed.lastIndexOf('/') + 1);
}

/** The folder that all patterns have in common, with "/" at its end; keys are paths below it. */
export function commonBase(patterns: readonly string[]): string {
  const [first = '', ...others] = patterns.map(globBase);
  let base = first;
  for (const other of others)
    while (!other.startsWith(base))
      base = base.slice(0, base.lastIndexOf('/', base.length - 2) + 1);
  return base;
}
