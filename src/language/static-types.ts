// The type of an expression before there are values: what each name is comes from the declarations
// and from the catalogue of step kinds.

import { err, ok, type Result } from '../base/result.ts';
import type { Schema } from '../base/schema.ts';
import { listing, nearest, suggestion } from '../contract/yaml/diagnostic.ts';
import { type Expression, type ExpressionError, errorOf } from './expression.ts';
import { celTypes, checking, knownFields, placeholder, variableOf } from './output-types.ts';
import type { Reference } from './reference.ts';

/** What a name refers to; undefined if nothing is known about the name. */
export interface Known {
  readonly schema: Schema;
  /** How many parts of the reference name the value: 3 for `steps.photo.file_path`. */
  readonly parts: number;
}

/** The most names of numbers in one expression to try as ints and as doubles. */
const mostNumbers = 3;

interface Stand {
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
  knownAs: (reference: Reference) => Known | undefined,
): Result<readonly string[], ExpressionError> {
  if (placeholder.test(text)) return ok(['dyn']);
  const stands = references.flatMap((reference) => standOf(reference, text, knownAs));
  const numbers = [...new Set(stands.filter(isNumber).map(({ name }) => name))].slice(
    0,
    mostNumbers,
  );
  const tried = Array.from({ length: 2 ** numbers.length }, (_, bits) =>
    tryTypes(text, stands, (name) => {
      const index = numbers.indexOf(name);
      return index < 0 ? undefined : (bits >> index) & 1;
    }),
  );
  const fine = tried.flatMap((one) => (one.ok ? [one.value] : []));
  if (fine.length > 0) return ok(fine);
  const [first, ...others] = tried.flatMap((one) => (one.ok ? [] : [one.error]));
  return first === undefined ? ok(['dyn']) : err(asNumber(first, others.at(-1)));
}

const isNumber = ({ types }: Stand): boolean => types.length > 1;

function standOf(
  reference: Reference,
  text: string,
  knownAs: (reference: Reference) => Known | undefined,
): readonly Stand[] {
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
  stands: readonly Stand[],
  choice: (name: string) => number | undefined,
): Result<string, ExpressionError> {
  let typed = '';
  let done = 0;
  for (const { start, end, name, types } of stands) {
    const type = types.length === 1 ? types[0] : types[choice(name) ?? types.length];
    const variable = type === undefined ? '' : variableOf(type);
    if (variable === '' || variable.length > end - start) continue;
    typed += text.slice(done, start) + variable.padEnd(end - start);
    done = end;
  }
  typed += text.slice(done);
  try {
    const { valid, type = 'dyn', error } = checking().parse(typed).check();
    return valid ? ok(type) : failed(error, text, stands);
  } catch (error) {
    return failed(error, text, stands);
  }
}

function failed(
  error: unknown,
  text: string,
  stands: readonly Stand[],
): Result<string, ExpressionError> {
  // Both values are possible: the evaluation takes either.
  if (codeOf(error) === 'incompatible_ternary_branches') return ok('dyn');
  const plain = errorOf(error, text, 'SL305');
  const better = aboutMember(accessIn(error, text, stands), codeOf(error));
  // A variable is shorter than the name that it stands for.
  const stand = stands.find(({ start, end }) => start < plain.end && plain.end <= end);
  return err({ ...plain, ...better, end: stand?.end ?? plain.end });
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

interface MemberAccess {
  readonly of: string;
  readonly type: string;
  readonly member: string;
}

/** The access of which the library complains, in the words of the original text. */
function accessIn(
  error: unknown,
  text: string,
  stands: readonly Stand[],
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
  const stand = stands.find((one) => one.start === start && one.end >= end);
  return { of: stand?.name ?? text.slice(start, end), type: String(checkedType), member };
}

const listHint = (list: string, field: string): string =>
  `write ${list}[0].${field} for the first, or ${list}.map(x, x.${field}) for all`;

function literalOf(node: unknown): string | undefined {
  const isText = typeof node === 'object' && node !== null && 'args' in node;
  return isText && typeof node.args === 'string' ? node.args : undefined;
}

function aboutMember(
  access: MemberAccess | undefined,
  code: unknown,
): Pick<ExpressionError, 'code' | 'message' | 'hint'> | undefined {
  if (access === undefined) return undefined;
  const { of, type, member } = access;
  switch (code) {
    case 'invalid_index_type':
      if (!type.startsWith('list<')) return undefined;
      return {
        code: 'SL315',
        message: `${of} is a list, which has no "${member}"`,
        hint: listHint(of, nearest(member, knownFields(type.slice(5, -1)) ?? []) ?? member),
      };
    case 'no_such_key': {
      const fields = knownFields(type) ?? [];
      return {
        code: 'SL315',
        message: `${of} has no "${member}"`,
        hint: suggestion(member, fields) ?? `known: ${listing(fields)}`,
      };
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
