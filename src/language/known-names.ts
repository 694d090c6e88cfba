// What the names in expressions are, as far as a pipeline file alone shows: the schemas of items,
// inputs, environment variables, values of the run, and outputs of steps.
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import { propertiesOf } from '../contract/yaml/shape.ts';
import type { Draft } from './draft.ts';
import type { FanOuts } from './fan-out.ts';
import { fileItemFields, itemFields } from './items.ts';
import { gathered } from './reference.ts';
import { runFields } from './schedule.ts';
import { type Known, type KnownAs, schemaOfType, staticTypes } from './static-types.ts';
import type { Template } from './template.ts';

type Schemas = Readonly<Record<string, Schema>>;

const text: Schema = { type: 'string' };
const index: Schema = { type: 'integer' };

const inputTypes: Schemas = {
  file: text,
  string: text,
  number: { type: 'number' },
  boolean: { type: 'boolean' },
};

/** What `steps.<name>.all` is, by the outputs of the step's kind. */
const lists = new WeakMap<Schemas, Schema>();

function listOf(outputs: Schemas): Schema {
  const known = lists.get(outputs);
  if (known !== undefined) return known;
  const list: Schema = { type: 'array', items: { type: 'object', properties: outputs } };
  lists.set(outputs, list);
  return list;
}

/**
 * Looks up names in a step. The fields of `values` may be of any type, so nothing is known about these. A
 * name that the file does not declare is unknown here; `references.ts` reports it.
 */
export function knownNames(
  { inputs, items }: JsonObject,
  steps: ReadonlyMap<string, Draft>,
  fans: FanOuts,
): (step: string) => KnownAs {
  const fields = isObject(items) && items['glob'] !== undefined ? fileItemFields : itemFields;
  const declared = isObject(inputs) ? inputs : {};
  const knownAs: KnownAs = ({ root: name, key, field }) => {
    switch (name) {
      case 'item':
        return known(fields, key, 2);
      case 'inputs':
        return known(inputTypes, typeOf(declared, key), 2);
      case 'env':
        return { schema: text, parts: 2 };
      case 'run':
        return known(runFields, key, 2);
      case 'result':
        return known({ ext: text }, key, 2);
      case 'steps':
        return knownOutput(steps.get(key ?? ''), field);
      default:
        return undefined;
    }
  };
  const elements = new Map<string, Schemas>();
  const eachIn = (name: string): Schemas => {
    const found = elements.get(name) ?? fieldsOfEach(steps.get(name)?.list, knownAs);
    elements.set(name, found);
    return found;
  };
  return (step) => {
    const [fan] = fans.of(step);
    return (reference) =>
      reference.root !== 'each'
        ? knownAs(reference)
        : fan === undefined
          ? undefined
          : known(eachIn(fan), reference.key, 2);
  };
}

function knownOutput(step: Draft | undefined, output: string | undefined): Known | undefined {
  const { outputTypes = {} } = step?.kind ?? {};
  if (output !== gathered || step?.kind === undefined) return known(outputTypes, output, 3);
  return { schema: listOf(outputTypes), parts: 3 };
}

/** `each` has the fields of the element, the element itself, and its index. */
function fieldsOfEach(list: Template | undefined, knownAs: KnownAs): Schemas {
  const element = list === undefined ? undefined : elementSchema(list, knownAs);
  if (element === undefined) return { index };
  return { ...fieldsOf(element), value: element, index };
}

function known(schemas: Schemas, name: string | undefined, parts: number): Known | undefined {
  const schema = name !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  return schema === undefined ? undefined : { schema, parts };
}

/** The declared type of an input. */
function typeOf(inputs: Readonly<Record<string, Json>>, name = ''): string | undefined {
  const declaration = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  return isObject(declaration) ? String(declaration['type']) : undefined;
}

/** What the elements of a fan-out's list are; undefined if nothing is known. */
function elementSchema(list: Template, knownAs: KnownAs): Schema | undefined {
  if (list.kind === 'list') return inCommon(list.items.map((item) => schemaOf(item, knownAs)));
  const items = schemaOf(list, knownAs)?.['items'];
  return isObject(items) ? items : undefined;
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
    const [left, right] = [fieldsOf(one), fieldsOf(other)];
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

const fieldsOf = (schema: Schema): Schemas =>
  Object.fromEntries(
    Object.entries(propertiesOf(schema)).flatMap(([name, part]) =>
      isObject(part) ? [[name, part]] : [],
    ),
  );
