// Values of CEL as JSON.
import type { Json } from '../../contract/base/json.ts';

/** Throws a RangeError for a value that JSON does not have. */
export function fromCel(value: unknown): Json {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw new RangeError(`the result is ${value}, which JSON cannot represent`);
    return value;
  }
  if (Array.isArray(value)) return value.map(fromCel);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, v]) => [String(key), fromCel(v)]));
  if (isPlain(value))
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, fromCel(v)]));
  throw new RangeError(
    `the result has a type that JSON cannot represent: convert it with string()`,
  );
}

export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
