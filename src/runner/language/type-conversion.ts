// What types are called in messages, and how to turn a value of one type into another.
import { isObject } from '../../contract/base/json.ts';
import type { Schema } from '../../contract/base/schema.ts';
import { knownFields } from './output-types.ts';

export const isNumber = (type: string): boolean =>
  ['int', 'uint', 'double', 'number'].includes(type);

export const isScalar = (type: string): boolean =>
  isNumber(type) || ['dyn', 'string', 'bool', 'null'].includes(type);

export const conditionHint = (type: string, text: string): string =>
  type === 'string'
    ? `compare it, for example ${text} != ""`
    : type.startsWith('list')
      ? `ask for its size: size(${text}) > 0`
      : `compare it, for example ${text} > 0`;

export const partHint = (type: string): string =>
  type.startsWith('list')
    ? 'choose one member with [0], or make one text of all with .join(", ") or json()'
    : 'choose a field of it, or write json() around it';

export function wordedSchema({ type, items }: Schema): string {
  switch (type) {
    case 'integer':
      return 'a whole number';
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'an object';
    case 'array':
      return isSchema(items) ? `a list of ${items['type']}s` : 'a list';
    default:
      return `a ${type}`;
  }
}

/** How to turn a value of one type into another. */
export function conversion(type: string, schema: Schema): string {
  switch (schema['type']) {
    case 'string':
      if (type.startsWith('list')) return partHint(type);
      return isScalar(type) ? 'convert it with string()' : 'choose a field of it, such as .url';
    case 'number':
    case 'integer':
      return type === 'string' ? 'convert it with double() or int()' : 'choose a number of it';
    case 'array':
      return type.startsWith('list') ? entryHint(type) : 'write it in brackets: ["${{ … }}"]';
    case 'boolean':
      return 'compare it with a value: ==, != or >';
    case 'object':
      return 'write an object with its keys';
    default:
      return 'write a value of another type';
  }
}

/** For a list whose entries do not fit. */
function entryHint(type: string): string {
  const entry = /^list<(.+)>$/.exec(type)?.[1] ?? 'dyn';
  if (isScalar(entry)) return 'convert its entries, for example with .map(x, string(x))';
  const [field = 'url'] = knownFields(entry) ?? [];
  return `take a field of each entry, for example .map(x, x.${field})`;
}

export const isSchema = (value: unknown): value is Schema => isObject(value);
