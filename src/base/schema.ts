// JSON Schema 2020-12: validators and defaults for the schemas that the code also publishes and
// derives types from.
import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { acceptanceOf } from './acceptance.ts';
import { fieldOf, isObject, type Json, type JsonObject } from './json.ts';

export type { ErrorObject };

/** True if the value has the shape; else `errors` are those of the last value. */
interface Validator<T = unknown> {
  (value: unknown): value is T;
  errors?: readonly ErrorObject[] | null | undefined;
}

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

const require = createRequire(import.meta.url);

/** `all`: finds all errors, with what is needed to word them. */
function makeAjv(all: boolean): Ajv2020 {
  // Loaded for the first value that is wrong: loading takes longer than all else that a short command does.
  const ajvModule: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js');
  const ajv = new ajvModule.Ajv2020({
    allErrors: all,
    verbose: all,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    // A test checks our schemas. Checking them here would compile the meta-schema for each, which
    // takes longer than all the rest.
    meta: false,
    validateSchema: false,
  });
  ajv.addVocabulary(vocabulary);
  return ajv;
}

const validators = new WeakMap<Schema, Validator>();

/** The validator of a schema. `T` is the type that the schema describes. */
export function validatorOf<T = unknown>(schema: Schema): Validator<T> {
  const validate = validators.get(schema) ?? validatorFor(schema);
  validators.set(schema, validate);
  return validate as Validator<T>;
}

/** From so many values on, compiling the schema takes less time than it saves. */
const manyValues = 50_000;

function validatorFor(schema: Schema): Validator {
  let compiled: Validator | undefined;
  let accepts = acceptanceOf(schema);
  let values = 0;
  const validate: Validator = (value): value is unknown => {
    validate.errors = null;
    values += 1;
    if (values === manyValues) accepts = makeAjv(false).compile(schema);
    if (accepts(value)) return true;
    compiled ??= makeAjv(true).compile(schema);
    const valid = compiled(value);
    validate.errors = compiled.errors;
    return valid;
  };
  return validate;
}

/** A valid object with the schema's defaults filled in, also in the objects and lists inside it. */
export function withDefaults(schema: Schema, object: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return object;
  const whole: Record<string, Json> = { ...object };
  for (const [name, part] of Object.entries(properties)) {
    if (!isObject(part)) continue;
    const { default: usual } = part;
    if (whole[name] === undefined && usual !== undefined) whole[name] = usual;
  }
  for (const [name, part] of Object.entries(properties)) {
    const value = whole[name];
    if (value !== undefined && isObject(part)) whole[name] = filled(part, value);
  }
  return whole;
}

/** A value with the defaults of the objects and lists inside it. */
function filled(schema: Schema, value: Json): Json {
  if (isObject(value)) return withDefaults(schema, value);
  const { items } = schema;
  return Array.isArray(value) && isObject(items)
    ? value.map((entry) => filled(items, entry))
    : value;
}

/** An entry of `x-ignored`: the service ignores `field` unless `unless` has the value `is`. */
interface Ignored {
  readonly field: string;
  readonly unless: string;
  readonly is: string;
}

/** A body without the fields that the service ignores. */
export function withoutIgnored(schema: Schema, body: JsonObject): JsonObject {
  return ignoredIn(schema)
    .filter(({ unless, is }) => fieldOf(body, unless) !== is)
    .reduce((rest, { field }) => without(rest, field.split('.')), body);
}

export function ignoredIn(schema: Schema): readonly Ignored[] {
  const list = schema['x-ignored'];
  return Array.isArray(list) ? list.filter(isIgnored) : [];
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
