// The examples of the catalogue as requests: with uploaded files in place of `asset:image`, `asset:video` and
// `asset:audio`.
import { isObject, type Json, type JsonObject } from '../../src/base/json.ts';

export function filledInObject(value: JsonObject, files: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, filledIn(member, files)]),
  );
}

function filledIn(value: Json, files: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return files.get(value) ?? value;
  if (isObject(value)) return filledInObject(value, files);
  return Array.isArray(value) ? value.map((member) => filledIn(member, files)) : value;
}
