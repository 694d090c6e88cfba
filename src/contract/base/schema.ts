// JSON Schema 2020-12: validators and defaults for the schemas that the code also publishes and
// derives types from.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { fieldOf, isObject, type JsonObject } from './json.ts';

export type { ErrorObject, ValidateFunction };

/** A JSON Schema document or part of one. Written `as const`, so that `FromSchema` can read it. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** The schema of a part of a value: a field by its name, an entry of a list by its number. */
export function partOf(schema: Schema, path: readonly (string | number)[]): Schema | undefined {
  let part: unknown = schema;
  for (const key of path) {
    if (!isObject(part)) return undefined;
    const { properties, items }: Schema = part;
    part = typeof key === 'number' ? items : isObject(properties) ? properties[key] : undefined;
  }
  return isObject(part) ? part : undefined;
}

/**
 * Our own annotations: the medium of an asset field, fields that do not change a result, fields
 * that the service ignores unless another field has a certain value, and values that are only
 * suggestions. Editors show `enumDescriptions`.
 */
export const vocabulary = ['x-asset', 'x-cosmetic', 'x-ignored', 'x-known', 'enumDescriptions'];

/** The alternative of a value that is an expression, `${{ … }}`. */
export const expressionText: Schema = {
  title: 'expression',
  type: 'string',
  pattern: '\\$\\{\\{',
};

/**
 * An alternative that a wrong value was not meant to be, so that its errors are not shown: an
 * expression, or the known values of a field that takes others, too.
 */
export const isNeverMeant = (alternative: unknown): boolean =>
  alternative === expressionText || (isObject(alternative) && alternative['x-known'] === true);

function makeAjv(useDefaults: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    // A test checks our schemas. Checking them here would compile the meta-schema for each, which
    // takes longer than all the rest.
    meta: false,
    validateSchema: false,
    useDefaults,
  });
  ajv.addVocabulary(vocabulary);
  return ajv;
}

const compiled = new WeakMap<Schema, ValidateFunction>();
/** False if the schema has no defaults. */
const completing = new WeakMap<Schema, ValidateFunction | false>();

/** The validator of a schema, compiled at first use. `T` is the type that the schema describes. */
export function validatorOf<T = unknown>(schema: Schema): ValidateFunction<T> {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = makeAjv(false).compile(schema);
    compiled.set(schema, validate);
  }
  return validate as ValidateFunction<T>;
}

/**
 * A copy of a valid value with the schema's defaults filled in; the value itself if there are none.
 */
export function withDefaults<T>(schema: Schema, value: T): T {
  let complete = completing.get(schema);
  if (complete === undefined) {
    complete = JSON.stringify(schema).includes('"default":') && makeAjv(true).compile(schema);
    completing.set(schema, complete);
  }
  if (complete === false) return value;
  const copy: T = JSON.parse(JSON.stringify(value));
  complete(copy);
  return copy;
}

/** An entry of `x-ignored`: the service ignores `field` unless `unless` has the value `is`. */
interface Ignored {
  readonly field: string;
  readonly unless: string;
  readonly is: string;
}

/** A body without the fields that the service ignores. */
export function withoutIgnored(schema: Schema, body: JsonObject): JsonObject {
  const list = schema['x-ignored'];
  if (!Array.isArray(list)) return body;
  return list
    .filter(isIgnored)
    .filter(({ unless, is }) => fieldOf(body, unless) !== is)
    .reduce((rest, { field }) => without(rest, field.split('.')), body);
}

function isIgnored(value: unknown): value is Ignored {
  return (
    isObject(value) && ['field', 'unless', 'is'].every((key) => typeof value[key] === 'string')
  );
}

function without(object: JsonObject, [key = '', ...below]: readonly string[]): JsonObject {
  const { [key]: member, ...others } = object;
  if (below.length === 0 || !isObject(member)) return below.length === 0 ? others : object;
  return { ...object, [key]: without(member, below) };
}
