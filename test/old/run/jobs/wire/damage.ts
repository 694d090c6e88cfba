// Every way in which one part of a value can be damaged: a field is missing, is unknown, or has a value of another type.
import { isObject, type Json, type JsonObject } from '../../../../../src/base/json.ts';

export interface Damaged {
  readonly how: string;
  readonly value: Json;
}

export interface Loose {
  /** Fields that may be missing. */
  readonly optional: ReadonlySet<string>;
  /** Fields with any object. */
  readonly free: ReadonlySet<string>;
}

export function damages(value: Json, loose: Loose, at = ''): readonly Damaged[] {
  const here = otherTypes(value).map((other) => ({
    how: `${at} is ${JSON.stringify(other)}`,
    value: other,
  }));
  if (Array.isArray(value))
    return [
      ...here,
      ...value.flatMap((entry: Json, index) =>
        damages(entry, loose, `${at}/${index}`).map(({ how, value: other }) => ({
          how,
          value: value.with(index, other),
        })),
      ),
    ];
  return isObject(value) ? [...here, ...inFields(value, loose, at)] : here;
}

function inFields(value: JsonObject, loose: Loose, at: string): readonly Damaged[] {
  const names = Object.keys(value);
  const missing = names
    .filter((name) => !loose.optional.has(name))
    .map((name) => ({ how: `${at}/${name} is missing`, value: without(value, name) }));
  const inside = names.flatMap((name) => {
    const part = value[name] ?? null;
    const other = loose.free.has(name)
      ? otherTypes(part).map((wrong) => ({
          how: `${at}/${name} is ${JSON.stringify(wrong)}`,
          value: wrong,
        }))
      : damages(part, loose, `${at}/${name}`);
    return other.map(({ how, value: damaged }) => ({ how, value: { ...value, [name]: damaged } }));
  });
  return [
    { how: `${at}/unknown is there`, value: { ...value, unknown: 1 } },
    ...missing,
    ...inside,
  ];
}

const examples: readonly Json[] = [null, true, 1.5, 'x\u0007', [], {}];

const otherTypes = (value: Json): readonly Json[] =>
  examples.filter((other) => other === null || typeName(other) !== typeName(value));

const typeName = (value: Json): string => (Array.isArray(value) ? 'list' : typeof value);

const without = (value: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
