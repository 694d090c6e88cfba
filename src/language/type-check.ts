// Checks the types in expressions: that each name is used as what it is, and that a value fits the
// field that takes it.

import { isObject } from '../base/json.ts';
import { unreachable } from '../base/result.ts';
import { partOf, type Schema } from '../base/schema.ts';
import type { Diagnostic, Path } from '../contract/yaml/diagnostic.ts';
import { dotted } from '../contract/yaml/shape.ts';
import type { Source } from '../contract/yaml/source.ts';
import { uploadHint } from './body.ts';
import type { Draft } from './draft.ts';
import type { Expression, ExpressionError } from './expression.ts';
import { type KnownAs, knownFields, staticTypes, worded } from './static-types.ts';
import { atExpression, expressionsOf, inExpression, type PlacedExpression } from './template.ts';

/** Where an expression stands: it is a whole value, a part of a text, a condition, or the list of a fan-out. */
interface Use {
  readonly path: Path;
  readonly expression: Expression;
  readonly as: 'value' | 'part' | 'condition' | 'list';
}

export function checkTypes(draft: Draft, knownAs: KnownAs, source: Source): readonly Diagnostic[] {
  const { name, condition: expression, list } = draft;
  const uses: Use[] = expressionsOf(draft.with).map(asPartOrWhole);
  // The value of `for_each`, unless the expression is only a part of it.
  for (const use of list === undefined ? [] : expressionsOf(list).map(asPartOrWhole))
    uses.push(use.as === 'value' && use.path.length === 3 ? { ...use, as: 'list' } : use);
  if (expression !== undefined)
    uses.push({ path: ['steps', name, 'if'], expression, as: 'condition' });
  return uses.flatMap((use) =>
    problemIn(
      use,
      source,
      knownAs,
      (types) => misfit(types, use, draft, knownAs) ?? localPathIn(use, draft, knownAs),
    ),
  );
}

const asPartOrWhole = ({ path, expression, isWhole }: PlacedExpression): Use => ({
  path,
  expression,
  as: isWhole ? 'value' : 'part',
});

/** The type of `items.when`. */
export function checkWhen(
  when: Expression | undefined,
  knownAs: KnownAs,
  source: Source,
): readonly Diagnostic[] {
  if (when === undefined) return [];
  const place = { path: ['items', 'when'], expression: when };
  return problemIn(place, source, knownAs, (types) =>
    noCondition('items.when', types, types[0], when),
  );
}

/** A wrong use in an expression, or else what `problemOf` says about its types. */
function problemIn(
  { path, expression }: Pick<Use, 'path' | 'expression'>,
  source: Source,
  knownAs: KnownAs,
  problemOf: (types: readonly string[]) => ExpressionError | undefined,
): readonly Diagnostic[] {
  const place = { path, text: expression.text };
  const types = staticTypes(expression, knownAs);
  if (!types.ok) return [inExpression({ ...types.error, ...place }, source)];
  const problem = problemOf(types.value);
  return problem === undefined ? [] : [atExpression({ ...problem, ...place }, source)];
}

/** Undefined if the value may be true or false. */
function noCondition(
  subject: string,
  types: readonly string[],
  type = 'dyn',
  { text }: Expression,
): ExpressionError | undefined {
  if (types.some((one) => one === 'bool' || one === 'dyn')) return undefined;
  return {
    code: 'SL311',
    message: `${subject} must be true or false, and the expression is ${worded(type)}`,
    hint: conditionHint(type, text),
    start: 0,
    end: text.length,
  };
}

/** Why a value cannot be where it is used; undefined if one of its types fits. */
function misfit(
  types: readonly string[],
  { path, expression, as }: Use,
  { name, kind }: Draft,
  knownAs: KnownAs,
): ExpressionError | undefined {
  const [first = 'dyn'] = types;
  const type = types.every(isNumber) && new Set(types).size > 1 ? 'number' : first;
  const whole = { start: 0, end: expression.text.length };
  switch (as) {
    case 'condition':
      return noCondition(`step "${name}": if:`, types, type, expression);
    case 'list':
      return types.some((one) => one === 'dyn' || one.startsWith('list'))
        ? undefined
        : {
            code: 'SL314',
            message: `step "${name}": for_each must be a list, and the expression is ${worded(type)}`,
            hint: results(expression, knownAs) ?? conversion(type, { type: 'array' }),
            ...whole,
          };
    case 'part':
      return isScalar(type)
        ? undefined
        : {
            code: 'SL310',
            message: `${worded(type)} cannot be part of a text`,
            hint: partHint(type),
            ...whole,
          };
    case 'value': {
      const schema = schemaOf(path, kind);
      // The path of a file is converted to a text.
      const converted = kind?.operation === 'download' || kind?.operation === 'upload';
      if (schema === undefined || (converted && isScalar(type))) return undefined;
      if (types.some((one) => fits(one, schema))) return undefined;
      return {
        code: 'SL314',
        message: `step "${name}": ${dotted(path.slice(3))} must be ${wordedSchema(schema)}, and the expression is ${worded(type)}`,
        hint: conversion(type, schema),
        ...whole,
      };
    }
    default:
      return unreachable(as);
  }
}

/** For one result of a step where all of them are meant. */
function results({ references }: Expression, knownAs: KnownAs): string | undefined {
  const [only, ...others] = references;
  if (only?.root !== 'steps' || only.key === undefined || others.length > 0) return undefined;
  const lists = ['downloads', 'faces'];
  const list = lists.find((field) => knownAs({ ...only, field })?.schema['type'] === 'array');
  return list === undefined
    ? undefined
    : `for all results of the step, write steps.${only.key}.${list}`;
}

/** A path on this machine where the service needs an upload or an address. */
function localPathIn(
  { path, expression, as }: Use,
  { name, kind }: Draft,
  knownAs: KnownAs,
): ExpressionError | undefined {
  const schema = schemaOf(path, kind);
  const [only, ...others] = expression.references;
  if (as !== 'value' || schema?.['x-asset'] === undefined || only === undefined) return undefined;
  const { start, end } = only;
  const whole = others.length === 0 && start === 0 && end === expression.text.length;
  if (!whole || knownAs(only)?.schema['format'] !== 'path') return undefined;
  return {
    code: 'SL402',
    message: `step "${name}": ${dotted(path.slice(3))} is a path on this machine, which is neither an upload nor a direct URL`,
    hint: uploadHint,
    start,
    end,
  };
}

/** True if some value of a CEL type can be valid. Constants and ranges are checked with the value. */
function fits(type: string, schema: Schema): boolean {
  if (type === 'dyn') return true;
  switch (schema['type']) {
    case 'string':
      return type === 'string';
    case 'number':
    case 'integer':
      return isNumber(type);
    case 'boolean':
      return type === 'bool';
    case 'array': {
      const member = /^list<(.+)>$/.exec(type)?.[1] ?? 'dyn';
      const items = schema['items'];
      return type.startsWith('list') && (!isObject(items) || member === 'T' || fits(member, items));
    }
    case 'object':
      return !isScalar(type) && !type.startsWith('list');
    default:
      return true;
  }
}

/** The schema of a field under `with:`; undefined for an unknown field. */
const schemaOf = (path: Path, kind: Draft['kind']): Schema | undefined =>
  kind === undefined || path[2] !== 'with' ? undefined : partOf(kind.with, path.slice(3));

// What types are called in messages, and how to turn a value of one type into another.

const isNumber = (type: string): boolean => ['int', 'uint', 'double', 'number'].includes(type);

const isScalar = (type: string): boolean =>
  isNumber(type) || ['dyn', 'string', 'bool', 'null'].includes(type);

const conditionHint = (type: string, text: string): string =>
  type === 'string'
    ? `compare it, for example ${text} != ""`
    : type.startsWith('list')
      ? `ask for its size: size(${text}) > 0`
      : `compare it, for example ${text} > 0`;

const partHint = (type: string): string =>
  type.startsWith('list')
    ? 'choose one member with [0], or make one text of all with .join(", ") or json()'
    : 'choose a field of it, or write json() around it';

function wordedSchema({ type, items }: Schema): string {
  switch (type) {
    case 'integer':
      return 'a whole number';
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'an object';
    case 'array':
      return isObject(items) ? `a list of ${items['type']}s` : 'a list';
    default:
      return `a ${type}`;
  }
}

/** How to turn a value of one type into another. */
function conversion(type: string, schema: Schema): string {
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
