// The fields of a step kind, read from its schema.

import { asJson, isObject, type Json } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import { grouped } from '../../base/text.ts';

/** A field under `with:`, or an object that holds fields. */
export interface Field {
  /** Its place under `with:`; `[]` stands for each entry of a list: `style.points[].position_x`. */
  readonly path: string;
  /** Whether the object that holds the field must have it. */
  readonly required: boolean;
  /** What the field takes: `string`, `list`, `image file`. */
  readonly type: string;
  /** The only values that it takes. */
  readonly values?: readonly Json[];
  /** Values that are known to work, if the service takes others, too. */
  readonly known?: readonly Json[];
  readonly default?: Json;
  /** The pattern that a text matches. */
  readonly pattern?: string;
  readonly limits: Limits;
  readonly description: string;
}

interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  /** The value is a multiple of this number. */
  readonly step?: number;
  /** The number of characters. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The number of entries. */
  readonly maxItems?: number;
}

/** All fields of a schema: each object before its fields, and required fields first. */
export function fieldsOf(schema: Schema, above = ''): readonly Field[] {
  const { properties, required } = schema;
  if (!isObject(properties)) return [];
  const needed = Array.isArray(required) ? required : [];
  const isRequired = (key: string): boolean => needed.includes(key);
  // The name of a project interests nobody who looks up a tool.
  const rank = (key: string): number => (isRequired(key) ? 0 : key === 'name' ? 2 : 1);
  return Object.entries(properties)
    .toSorted(([one], [other]) => rank(one) - rank(other))
    .flatMap(([key, field]) => {
      if (!isObject(field)) return [];
      const path = `${above}${key}`;
      const { items } = field;
      const inner = isObject(items) ? fieldsOf(items, `${path}[].`) : fieldsOf(field, `${path}.`);
      return [fieldOfSchema(path, isRequired(key), field), ...inner];
    });
}

function fieldOfSchema(path: string, required: boolean, schema: Schema): Field {
  const { enum: values, examples, default: usual, pattern, description } = schema;
  return {
    path,
    required,
    type: typeOf(schema),
    values: listIn(values),
    known: listIn(examples),
    default: usual === undefined || isObject(usual) ? undefined : asJson(usual),
    pattern: typeof pattern === 'string' ? pattern : undefined,
    limits: limitsOf(schema),
    description: typeof description === 'string' ? description : '',
  };
}

function typeOf(schema: Schema): string {
  const { 'x-asset': medium, additionalProperties: member } = schema;
  if (typeof medium === 'string') return `${medium} file`;
  const types = typesOf(schema).map((type) => {
    if (type === 'array') return listType(schema);
    return type === 'object' && isObject(member) && 'type' in member
      ? `${plural(member)} by name`
      : type;
  });
  return types.length === 0 ? 'any value' : inWords(types);
}

function listType({ items }: Schema): string {
  return isObject(items) ? `list of ${plural(items)}` : 'list';
}

/** `strings`, `image files`, `lists of strings`. */
function plural(schema: Schema): string {
  const { type, items, 'x-asset': medium } = schema;
  if (type === 'array' && isObject(items)) return `lists of ${plural(items)}`;
  return typeof medium === 'string'
    ? `${medium} files`
    : inWords(typesOf(schema).map((one) => `${one}s`));
}

/** Of an object, `null` only says that its key may be empty. */
function typesOf({ type, items }: Schema): readonly string[] {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  if (types.length === 0 && items !== undefined) return ['array'];
  // The list comes last: "string or list of strings".
  const said = types.includes('object') ? types.filter((one) => one !== 'null') : types;
  return said.toSorted((_, other) => (other === 'array' ? -1 : 0));
}

const inWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

function limitsOf(schema: Schema): Limits {
  const { minimum, maximum, multipleOf, minLength, maxLength, maxItems } = schema;
  return {
    minimum: numberIn(minimum),
    maximum: numberIn(maximum),
    step: numberIn(multipleOf),
    minLength: numberIn(minLength),
    maxLength: numberIn(maxLength),
    maxItems: numberIn(maxItems),
  };
}

const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
const listIn = (value: unknown): readonly Json[] | undefined =>
  Array.isArray(value) ? value : undefined;

/** What a field takes, in a few words: `number, 0.1 or more`, `string, 1 to 2,000 characters`. */
export function takenBy({ type, limits }: Field): string {
  const { minimum, maximum, step, minLength, maxLength, maxItems } = limits;
  const parts = [
    span(minimum, maximum),
    ...(step === undefined ? [] : [`in steps of ${step}`]),
    ...(type.endsWith('file') ? [] : [span(minLength, maxLength, 'characters')]),
    ...(maxItems === undefined ? [] : [`up to ${maxItems} entries`]),
  ].filter((part) => part !== '');
  return parts.length === 0 ? type : `${type}, ${parts.join(' ')}`;
}

function span(least: number | undefined, most: number | undefined, unit = ''): string {
  const of = unit === '' ? '' : ` ${unit}`;
  const shown = (amount: number): string => grouped(amount);
  if (least === undefined) return most === undefined ? '' : `at most ${shown(most)}${of}`;
  if (most !== undefined) return `${shown(least)} to ${shown(most)}${of}`;
  return least === 1 && unit !== '' ? 'not empty' : `${shown(least)}${of} or more`;
}
