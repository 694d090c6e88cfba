// The CEL types of values that a JSON Schema describes, for checks before there are values.
import type { Environment } from '@marcbachmann/cel-js';
import { isObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import { newEnvironment } from './environment.ts';

/** Why `cel-js` refuses a field: the known fields of each object type, by the type's name. */
const fieldsOf = new Map<string, readonly string[]>();
/** The names of object types, by their schemas. */
const named = new WeakMap<Schema, string>();
/** The schemas of object types, by their names. */
const described = new Map<string, Schema>();
/** Variables of the checking environment, by their types. */
const variables = new Map<string, string>();

let made: Environment | undefined;

/** The environment for checks: a variable stands for each type. It evaluates nothing. */
export function checking(): Environment {
  made ??= newEnvironment();
  return made;
}

/** The fields of an object type, for "did you mean". */
export const knownFields = (type: string): readonly string[] | undefined => fieldsOf.get(type);

/**
 * The types that values of a schema may have in an expression. Whole numbers are ints, so a number
 * is an int or a double. Empty if nothing is known.
 */
export function celTypes(schema: Schema, name: string): readonly string[] {
  switch (schema['type']) {
    case 'string':
      return ['string'];
    case 'boolean':
      return ['bool'];
    case 'integer':
      return ['int'];
    case 'number':
      return ['int', 'double'];
    case 'array':
      return [`list<${oneType(schema['items'], name.replace(/s$/, ''))}>`];
    case 'object':
      return isObject(schema['properties']) ? [objectType(schema, name)] : [];
    default:
      return [];
  }
}

/** A schema of the values of a type; undefined if nothing is known about them. */
export function schemaOfType(type: string): Schema | undefined {
  const member = /^list<(.+)>$/.exec(type)?.[1];
  if (member !== undefined) {
    const items = schemaOfType(member);
    return { type: 'array', items };
  }
  switch (type) {
    case 'string':
      return { type };
    case 'bool':
      return { type: 'boolean' };
    case 'int':
      return { type: 'integer' };
    case 'double':
      return { type: 'number' };
    default:
      return described.get(type);
  }
}

function oneType(schema: unknown, name: string): string {
  const types = isSchema(schema) ? celTypes(schema, name) : [];
  return types.length === 1 && types[0] !== undefined ? types[0] : 'dyn';
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function objectType(schema: Schema, wanted: string): string {
  const known = named.get(schema);
  if (known !== undefined) return known;
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {});
  const fields = Object.fromEntries(
    properties.map(([field, part]) => [field, oneType(part, field)]),
  );
  let type = wanted;
  for (let twin = 2; fieldsOf.has(type); twin++) type = `${wanted}${twin}`;
  checking().registerType(type, { fields });
  named.set(schema, type);
  described.set(type, schema);
  fieldsOf.set(type, Object.keys(fields));
  return type;
}

/** A short name that no person chooses: it takes the place of a reference in the text. */
export const placeholder = /\b_\d+\b/;

/** The variable of a type. */
export function variableOf(type: string): string {
  const known = variables.get(type);
  if (known !== undefined) return known;
  const name = `_${variables.size}`;
  checking().registerVariable(name, type);
  variables.set(type, name);
  return name;
}
