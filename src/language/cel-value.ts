// Values of CEL as JSON.
import type { Json } from '../base/json.ts';

/** A list or an object in a value that is nested too deeply for the functions that walk through values. */
export class TooDeep {}

/** In levels: no column of a table and no record of the service has so many. */
export const deepestValue = 200;

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
  if (value instanceof TooDeep) throw new RangeError(tooDeep);
  throw new RangeError(
    `the result has a type that JSON cannot represent: convert it with string()`,
  );
}

export const tooDeep = `the value is nested more than ${deepestValue} levels deep`;

export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
