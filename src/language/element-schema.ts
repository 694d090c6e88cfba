// What the elements of a fan-out's list are, as far as the pipeline file alone shows.
import { isObject, type Json } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import { schemaOfType } from './output-types.ts';
import type { Reference } from './reference.ts';
import { type Known, staticTypes } from './static-types.ts';
import type { Template } from './template.ts';

type KnownAs = (reference: Reference) => Known | undefined;

/** Undefined if nothing is known. */
export function elementSchema(list: Template, knownAs: KnownAs): Schema | undefined {
  if (list.kind === 'list') return inCommon(list.items.map((item) => schemaOf(item, knownAs)));
  const items = schemaOf(list, knownAs)?.['items'];
  return isSchema(items) ? items : undefined;
}

function schemaOf(template: Template, knownAs: KnownAs): Schema | undefined {
  switch (template.kind) {
    case 'value':
      return schemaOfValue(template.value);
    case 'text':
      return { type: 'string' };
    case 'object':
      return objectOf(template.fields.map(([name, field]) => [name, schemaOf(field, knownAs)]));
    case 'list':
      return undefined;
    case 'expression': {
      const { text, references } = template.expression;
      const [only] = references;
      const known = only === undefined ? undefined : knownAs(only);
      const whole = only?.start === 0 && only.ends[(known?.parts ?? 0) - 1] === text.length;
      if (whole) return known?.schema;
      const types = staticTypes(template.expression, knownAs);
      const [type, ...others] = types.ok ? types.value : [];
      return type === undefined || others.length > 0 ? undefined : schemaOfType(type);
    }
  }
}

function schemaOfValue(value: Json): Schema | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return { type: typeof value };
    case 'number':
      return { type: Number.isSafeInteger(value) ? 'integer' : 'number' };
    default:
      return undefined;
  }
}

function objectOf(fields: readonly (readonly [string, Schema | undefined])[]): Schema {
  const known = fields.flatMap(([name, schema]) => (schema === undefined ? [] : [[name, schema]]));
  return { type: 'object', properties: Object.fromEntries(known) };
}

/** What holds for all of them. A field that only some objects have is not certain. */
function inCommon(schemas: readonly (Schema | undefined)[]): Schema | undefined {
  const [first, ...others] = schemas;
  if (first === undefined) return undefined;
  return others.reduce<Schema | undefined>(
    (one, other) => (one === undefined || other === undefined ? undefined : joined(one, other)),
    first,
  );
}

function joined(one: Schema, other: Schema): Schema | undefined {
  const types = [one['type'], other['type']];
  if (types.every((type) => type === 'object')) {
    const [left, right] = [propertiesOf(one), propertiesOf(other)];
    return objectOf(
      Object.entries(left).map(([name, schema]) => [name, inCommon([schema, right[name]])]),
    );
  }
  if (types[0] === types[1])
    return one['format'] === other['format'] ? one : { type: one['type'] ?? 'null' };
  return types.every((type) => type === 'integer' || type === 'number')
    ? { type: 'number' }
    : undefined;
}

export const propertiesOf = ({ properties }: Schema): Readonly<Record<string, Schema>> =>
  isObject(properties)
    ? Object.fromEntries(
        Object.entries(properties).flatMap(([name, schema]) =>
          isSchema(schema) ? [[name, schema]] : [],
        ),
      )
    : {};

const isSchema = (value: unknown): value is Schema => isObject(value);
