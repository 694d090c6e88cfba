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
  const members = Object.keys(object)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(object[key] ?? null)}`);
  return `{${members.join(',')}}`;
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

/** True if the whole text is valid JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
