// Item: one unit of the fan-out, as it was when the run began.
import type { Json, JsonObject } from '../../contract/base/json.ts';

export interface Item {
  /** Unique among the items, and stable between runs: a path below the glob's folder, or a row's key or number. */
  readonly key: string;
  /** The value of `item` in expressions. */
  readonly fields: JsonObject;
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

/** An item from an entry of `values`. Its key is its `key` field, or its number from 1. */
export function valueItem(value: Json, index: number): Item {
  const fields: JsonObject =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : { value };
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
