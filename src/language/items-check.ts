// Checks of `items:` that a schema cannot word well: its source, its matrix, and the names that it uses.

import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { grouped } from '../base/text.ts';
import {
  type Diagnostic,
  errorAt,
  type Finding,
  listing,
  type Path,
  type Span,
  suggestion,
} from '../contract/yaml/diagnostic.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Expression } from './expression.ts';
import {
  fileItemFields,
  isExclusion,
  itemFields,
  type Matrix,
  matrixNames,
  matrixOf,
  patternsOf,
  sameScalar,
} from './items.ts';
import { aboutName, type Declared, type DeclaredItem, unknownName } from './references.ts';
import { itemsSchema } from './schema.ts';
import { compileExpression, type TemplateError } from './template.ts';

const sources = ['glob', 'csv', 'jsonl', 'values'];

/** What `items:` says before anything else is known. */
interface ItemsDraft {
  readonly declared: DeclaredItem | undefined;
  readonly when: Expression | undefined;
}

export function draftItems(items: Json | undefined, errors: TemplateError[]): ItemsDraft {
  if (items === undefined) return { declared: undefined, when: undefined };
  const raw = isObject(items) ? items : {};
  const { when, matrix } = raw;
  const names = matrix === undefined ? undefined : matrixNames(matrixOf(matrix));
  return {
    declared: { fields: fieldsOf(raw), matrix: names },
    when:
      typeof when === 'string' || typeof when === 'boolean'
        ? compileExpression(String(when), ['items', 'when'], errors)
        : undefined,
  };
}

/** Undefined if a table decides. */
function fieldsOf({ csv, jsonl, values, glob, matrix }: JsonObject): readonly string[] | undefined {
  if (csv !== undefined || jsonl !== undefined) return undefined;
  if (Array.isArray(values)) {
    const own = values.flatMap((value) => (isObject(value) ? Object.keys(value) : ['value']));
    return [...Object.keys(itemFields), ...new Set(own)];
  }
  return Object.keys(glob === undefined && matrix !== undefined ? itemFields : fileItemFields);
}

export function checkItems(
  items: Json | undefined,
  { declared: item, when }: ItemsDraft,
  declared: Declared,
  source: Source,
): readonly Diagnostic[] {
  if (!isObject(items) || item === undefined) return [];
  const { matrix } = items;
  return [
    ...sourceErrors(items, source),
    ...globErrors(items['glob'], source),
    ...keyErrors(items, item, source),
    ...(matrix === undefined ? [] : matrixErrors(matrixOf(matrix), item.fields, source)),
    ...(when === undefined ? [] : whenErrors(when, declared, source)),
  ];
}

const errorIn = (source: Source, path: Path, finding: Finding): Diagnostic =>
  errorAt(source.file, source.spanOf(['items', ...path]), finding);

const errorAtKey = (source: Source, path: Path, finding: Finding): Diagnostic =>
  errorAt(source.file, source.keySpanOf(['items', ...path]), finding);

function* sourceErrors(items: JsonObject, source: Source): Generator<Diagnostic> {
  const own = sources.filter((name) => items[name] !== undefined);
  // An unknown key is probably the source by another name, and is told by itself.
  const isMissing = own.length === 0 && items['matrix'] === undefined && hasKnownKeys(items);
  if (own.length > 1 || isMissing)
    yield errorAtKey(source, own.slice(1, 2), {
      code: 'SL109',
      message: `items must have exactly one of: ${sources.join(', ')}`,
      hint:
        own.length === 0
          ? 'or only a matrix: items: { matrix: { style: [oil, ink] } }'
          : `it has ${own.join(' and ')}; for every combination of two lists, use a matrix`,
    });
  for (const name of ['delimiter', 'types'])
    if (items[name] !== undefined && items['csv'] === undefined)
      yield errorAtKey(source, [name], {
        code: 'SL528',
        message: `items.${name} is only for a csv file`,
        hint: `remove ${name}:`,
      });
}

const hasKnownKeys = (items: JsonObject): boolean =>
  Object.keys(items).every((key) => Object.hasOwn(itemsSchema.properties, key));

function* globErrors(glob: Json | undefined, source: Source): Generator<Diagnostic> {
  if (!Array.isArray(glob)) return;
  const patterns = patternsOf(glob);
  if (patterns.every(isExclusion))
    yield errorIn(source, ['glob'], {
      code: 'SL501',
      message: 'items.glob only excludes files',
      hint: 'add a pattern that finds files, such as "photos/*.jpg"',
    });
  for (const [index, pattern] of patterns.entries())
    if (patterns.indexOf(pattern) < index)
      yield errorIn(source, ['glob', index], {
        code: 'SL525',
        message: `items.glob has the pattern ${JSON.stringify(pattern)} twice`,
        hint: 'remove one of them',
      });
}

function* keyErrors(
  items: JsonObject,
  { fields }: DeclaredItem,
  source: Source,
): Generator<Diagnostic> {
  const { key, matrix } = items;
  if (typeof key !== 'string') return;
  if (!sources.some((name) => items[name] !== undefined)) {
    if (matrix !== undefined)
      yield errorIn(source, ['key'], {
        code: 'SL528',
        message:
          'items.key is for glob, csv, jsonl and values; the values of a matrix name its items',
        hint: 'remove key:',
      });
    return;
  }
  const inner = /^\s*(?:\$\{\{)?\s*item\.(\w+)\s*(?:\}\})?\s*$/.exec(key)?.[1];
  if (inner !== undefined || key.includes('${{'))
    return yield errorIn(source, ['key'], {
      code: 'SL529',
      message: 'items.key is the name of a field, not an expression',
      hint: `write key: ${inner ?? '<field>'}`,
    });
  const named = fields?.filter((field) => field !== 'key');
  const finding = named && unknownName('SL206', 'items.key: item has no', key, named);
  if (finding !== undefined && key !== 'key') yield errorIn(source, ['key'], finding);
}

function* whenErrors(
  { text, references }: Expression,
  declared: Declared,
  source: Source,
): Generator<Diagnostic> {
  for (const { root, key, start, end } of references) {
    const known = root === 'item' || root === 'matrix' || root === 'inputs' || root === 'env';
    const finding: Finding | undefined = known
      ? aboutName({ root, key }, declared)
      : {
          code: 'SL218',
          message: `items.when is decided before any step runs, so ${root} is not known in it`,
          hint: 'use item, matrix, inputs and env; or put the condition in if:',
        };
    if (finding !== undefined)
      yield errorAt(source.file, source.spanInside(['items', 'when'], text, start, end), finding);
  }
}

/** GitHub Actions allows 256. */
const maxCombinations = 10_000;

/** Values that are there twice, and entries of include and exclude that can never apply. `fields`: of `item`. */
function* matrixErrors(
  matrix: Matrix,
  fields: readonly string[] | undefined,
  source: Source,
): Generator<Diagnostic> {
  const { variables, include, exclude } = matrix;
  const at = (...path: Path): Span => source.spanOf(['items', 'matrix', ...path]);
  const count = variables.reduce((product, [, values]) => product * values.length, 1);
  if (count + include.length > maxCombinations)
    yield errorAt(source.file, at(), {
      code: 'SL526',
      message: `the matrix has ${grouped(count)} combinations; at most ${grouped(maxCombinations)} are allowed`,
      hint: 'remove values or lists; GitHub Actions allows 256 combinations, for comparison',
    });
  for (const [name, values] of variables)
    for (const [index, value] of values.entries()) {
      const first = values.findIndex((other) => sameScalar(other, value));
      if (first === index) continue;
      const { line, column } = at(name, first);
      yield errorAt(source.file, at(name, index), {
        code: 'SL525',
        message: `matrix.${name} has ${JSON.stringify(value)} twice: also at ${line}:${column}`,
        hint: 'remove one of them',
      });
    }
  yield* excludeErrors(matrix, source);
  for (const [what, rules] of Object.entries({ include, exclude }))
    for (const [index, { item, values }] of rules.entries()) {
      for (const name of Object.keys(item))
        if (fields?.includes(name) === false)
          yield errorAtKey(source, ['matrix', what, index, `item.${name}`], {
            code: 'SL206',
            message: `${what}: item has no ${JSON.stringify(name)}`,
            hint: matrixHint(name, fields),
          });
      if (what === 'include' && Object.keys(values).length === 0)
        yield errorAt(source.file, at(what, index), {
          code: 'SL527',
          message: 'include: the entry adds no value to the matrix',
          hint: 'add a value, such as style: gold, or remove the entry',
        });
    }
}

function* excludeErrors({ variables, exclude }: Matrix, source: Source): Generator<Diagnostic> {
  const lists = new Map(variables);
  for (const [index, { values }] of exclude.entries())
    for (const [name, value] of Object.entries(values)) {
      const path = ['matrix', 'exclude', index, name];
      const own = lists.get(name);
      if (own === undefined)
        yield errorAtKey(source, path, {
          code: 'SL217',
          message: `exclude: the matrix has no list ${JSON.stringify(name)}`,
          hint: matrixHint(name, [...lists.keys()]),
        });
      else if (!own.some((one) => sameScalar(one, value)))
        yield errorIn(source, path, {
          code: 'SL527',
          message: `exclude: matrix.${name} has no ${JSON.stringify(value)}, so nothing is excluded`,
          hint: matrixHint(String(value), own.map(String)),
        });
    }
}

const matrixHint = (wrong: string, known: readonly string[]): string =>
  suggestion(wrong, known) ??
  (known.length === 0 ? 'remove it: the matrix has no lists' : `known: ${listing(known)}`);
