// JSON values, and their canonical text for hashing.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for a JSON object; false for null, lists and single values. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Canonical JSON: keys sorted by code unit, no white space, so equal values have equal text. */
export function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const object = value as JsonObject;
  let text = '';
  for (const key of Object.keys(object).sort()) {
    if (text !== '') text += ',';
    text += `${JSON.stringify(key)}:${canonical(object[key] ?? null)}`;
  }
  return `{${text}}`;
}

/** Treats plain data as JSON. Only for values that consist of JSON types. */
export function asJson(value: unknown): Json {
  return value as Json;
}

/**
 * The value at a dotted path of an object, such as `assets.face_mappings`; undefined if there is
 * none.
 */
export function fieldOf(object: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = object;
  for (const key of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Deeper values are not looked at: no data of ours is nested so deeply, and each level costs stack. */
const maxDepth = 64;

/** True if a value is plain data, so that its JSON text says exactly the same value. */
export function isExactJson(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth === maxDepth) return false;
  if (Array.isArray(value)) {
    // Counted, because a list with holes has fewer entries.
    for (let index = 0; index < value.length; index++)
      if (!isExactJson(value[index], depth + 1)) return false;
    return Object.keys(value).length === value.length;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in value) return false;
  for (const field of Object.values(value)) if (!isExactJson(field, depth + 1)) return false;
  return true;
}

/** The value of a text; undefined if it is not JSON. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The entry of a table, if the key is a text and one of its own keys. */
export function entryOf<T>(table: Readonly<Record<string, T>>, key: unknown): T | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;
}
