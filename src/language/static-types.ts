// The type of an expression before there are values: what each name is comes from the declarations
// and from the catalogue of step kinds.
import type { Environment } from '@marcbachmann/cel-js';
import { isObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Schema } from '../base/schema.ts';
import { type Finding, listing, nearest, suggestion } from '../contract/yaml/diagnostic.ts';
import { propertiesOf } from '../contract/yaml/shape.ts';
import { newEnvironment } from './environment.ts';
import { type Expression, type ExpressionError, errorOf } from './expression.ts';
import type { Reference } from './reference.ts';

/** What a name refers to. */
export interface Known {
  readonly schema: Schema;
  /** How many parts of the reference name the value: 3 for `steps.photo.file_path`. */
  readonly parts: number;
}

/** Undefined if nothing is known about a name. */
export type KnownAs = (reference: Reference) => Known | undefined;

/** The number of names of numbers in one expression to try as ints and as doubles. */
const maxNumbers = 3;

/** A name for which a variable of its type stands in the checked text. */
interface TypedName {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly types: readonly string[];
}

/**
 * The types that an expression may have. The error is a use that no value can satisfy: it fails
 * whether its numbers are whole or not.
 */
export function staticTypes(
  { text, references }: Expression,
  knownAs: KnownAs,
): Result<readonly string[], ExpressionError> {
  if (variablePattern.test(text)) return ok(['dyn']);
  const names = references.flatMap((reference) => typedName(reference, text, knownAs));
  const numbers = names.filter(({ types }) => types.length > 1).map(({ name }) => name);
  const chosen = [...new Set(numbers)].slice(0, maxNumbers);
  const tried = Array.from({ length: 2 ** chosen.length }, (_, bits) =>
    tryTypes(text, names, ({ name, types }) => {
      if (types.length === 1) return types[0];
      const index = chosen.indexOf(name);
      return index < 0 ? undefined : types[(bits >> index) & 1];
    }),
  );
  const fine = tried.flatMap((one) => (one.ok ? [one.value] : []));
  if (fine.length > 0) return ok(fine);
  const [first, ...others] = tried.flatMap((one) => (one.ok ? [] : [one.error]));
  return first === undefined ? ok(['dyn']) : err(asNumber(first, others.at(-1)));
}

function typedName(reference: Reference, text: string, knownAs: KnownAs): readonly TypedName[] {
  // has() needs the name itself.
  if (reference.asked) return [];
  const known = knownAs(reference);
  const end = known === undefined ? undefined : reference.ends[known.parts - 1];
  if (known === undefined || end === undefined) return [];
  const { start, key = '', field = key } = reference;
  const types = celTypes(known.schema, field);
  return types.length === 0 ? [] : [{ start, end, name: text.slice(start, end), types }];
}

/** Checks the text with a variable of the right type in place of each name, at the same offsets. */
function tryTypes(
  text: string,
  names: readonly TypedName[],
  typeOf: (name: TypedName) => string | undefined,
): Result<string, ExpressionError> {
  let typed = '';
  let done = 0;
  for (const name of names) {
    const { start, end } = name;
    const type = typeOf(name);
    const variable = type === undefined ? '' : variableOf(type);
    if (variable === '' || variable.length > end - start) continue;
    typed += text.slice(done, start) + variable.padEnd(end - start);
    done = end;
  }
  typed += text.slice(done);
  try {
    const { valid, type = 'dyn', error } = checking().parse(typed).check();
    return valid ? ok(type) : failed(error, text, names);
  } catch (error) {
    return failed(error, text, names);
  }
}

function failed(
  error: unknown,
  text: string,
  names: readonly TypedName[],
): Result<string, ExpressionError> {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  // Both values are possible: the evaluation takes either.
  if (code === 'incompatible_ternary_branches') return ok('dyn');
  const plain = errorOf(error, text, 'SL305');
  const access = accessIn(error, text, names);
  const better = access === undefined ? undefined : aboutMember(access, code);
  // A variable is shorter than the name that it stands for.
  const name = names.find(({ start, end }) => start < plain.end && plain.end <= end);
  return err({ ...plain, ...better, end: name?.end ?? plain.end });
}

interface MemberAccess {
  readonly of: string;
  readonly type: string;
  readonly member: string;
}

/** The access of which the library complains, in the words of the original text. */
function accessIn(
  error: unknown,
  text: string,
  names: readonly TypedName[],
): MemberAccess | undefined {
  const node = typeof error === 'object' && error !== null && 'node' in error ? error.node : null;
  if (typeof node !== 'object' || node === null || !('args' in node)) return undefined;
  if (!Array.isArray(node.args)) return undefined;
  const [object, key]: readonly unknown[] = node.args;
  const member = typeof key === 'string' ? key : literalOf(key);
  if (typeof object !== 'object' || object === null || member === undefined) return undefined;
  if (!('start' in object) || !('end' in object) || !('checkedType' in object)) return undefined;
  const { start, end, checkedType } = object;
  if (typeof start !== 'number' || typeof end !== 'number') return undefined;
  const name = names.find((one) => one.start === start && one.end >= end);
  return { of: name?.name ?? text.slice(start, end), type: String(checkedType), member };
}

function literalOf(node: unknown): string | undefined {
  const isText = typeof node === 'object' && node !== null && 'args' in node;
  return isText && typeof node.args === 'string' ? node.args : undefined;
}

function aboutMember({ of, type, member }: MemberAccess, code: unknown): Finding | undefined {
  switch (code) {
    case 'invalid_index_type': {
      if (!type.startsWith('list<')) return undefined;
      const field = nearest(member, knownFields(type.slice(5, -1)) ?? []) ?? member;
      return {
        code: 'SL315',
        message: `${of} is a list, which has no "${member}"`,
        hint: `write ${of}[0].${field} for the first, or ${of}.map(x, x.${field}) for all`,
      };
    }
    case 'no_such_key': {
      const fields = knownFields(type) ?? [];
      const hint = suggestion(member, fields) ?? `known: ${listing(fields)}`;
      return { code: 'SL315', message: `${of} has no "${member}"`, hint };
    }
    case 'cannot_index_type':
      return {
        code: 'SL315',
        message: `${of} is ${worded(type)}, which has no "${member}"`,
        hint: `write ${of} alone`,
      };
    default:
      return undefined;
  }
}

/** A type for people: `a string`, `a list`, `an object`. */
export function worded(type: string): string {
  if (type.startsWith('list')) return 'a list';
  if (type.startsWith('map') || knownFields(type) !== undefined) return 'an object';
  if (type === 'null') return 'null';
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** One sentence for both attempts: where one says int and the other double, it is a number. */
function asNumber(first: ExpressionError, last: ExpressionError | undefined): ExpressionError {
  const one = first.message.split(' ');
  const other = last?.message.split(' ') ?? [];
  if (one.length !== other.length) return first;
  const merged = one.map((word, index) =>
    word !== other[index] && word.includes('int') ? word.replace('int', 'number') : word,
  );
  return { ...first, message: merged.join(' ').replaceAll('an number', 'a number') };
}

// JSON Schemas as types of CEL, and back. A schema of an object becomes a type with a name, and each type gets a variable,
// in an environment that only checks and evaluates nothing.

const objectTypes = new WeakMap<Schema, string>();
const objectSchemas = new Map<string, Schema>();
const variables = new Map<string, string>();

let made: Environment | undefined;

function checking(): Environment {
  made ??= newEnvironment();
  return made;
}

/** The fields of an object type, for "did you mean". */
export function knownFields(type: string): readonly string[] | undefined {
  const schema = objectSchemas.get(type);
  return schema === undefined ? undefined : Object.keys(propertiesOf(schema));
}

/**
 * The types that values of a schema may have in an expression. Whole numbers are ints, so a number
 * is an int or a double. Empty if nothing is known.
 */
function celTypes(schema: Schema, name: string): readonly string[] {
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
  if (member !== undefined) return { type: 'array', items: schemaOfType(member) };
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
      return objectSchemas.get(type);
  }
}

function oneType(schema: unknown, name: string): string {
  const [type = 'dyn', ...others] = isObject(schema) ? celTypes(schema, name) : [];
  return others.length === 0 ? type : 'dyn';
}

function objectType(schema: Schema, wanted: string): string {
  const known = objectTypes.get(schema);
  if (known !== undefined) return known;
  const fields = Object.fromEntries(
    Object.entries(propertiesOf(schema)).map(([field, part]) => [field, oneType(part, field)]),
  );
  let type = wanted;
  for (let twin = 2; objectSchemas.has(type); twin++) type = `${wanted}${twin}`;
  checking().registerType(type, { fields });
  objectTypes.set(schema, type);
  objectSchemas.set(type, schema);
  return type;
}

/** Variables have short names that no person chooses. */
const variablePattern = /\b_\d+\b/;

function variableOf(type: string): string {
  const known = variables.get(type);
  if (known !== undefined) return known;
  const name = `_${variables.size}`;
  checking().registerVariable(name, type);
  variables.set(type, name);
  return name;
}
