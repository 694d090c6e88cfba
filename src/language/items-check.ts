// Checks of `items:` that a schema cannot word well: its source, its matrix, and the names that it uses.
import { isObject, type Json } from '../base/json.ts';
import type { Diagnostic } from '../contract/yaml/diagnostic.ts';
import type { Path, Span } from '../contract/yaml/place.ts';
import type { Source } from '../contract/yaml/source.ts';
import type { Expression } from './expression.ts';
import { globItemFields, isExclusion, matrixNames, matrixOf, patternsOf } from './items.ts';
import { checkMatrix, type Report } from './matrix-check.ts';
import { type NameFinding, unknownName } from './name-finding.ts';
import { aboutName, type Declared, type DeclaredItem } from './references.ts';
import { compileExpression, type TemplateError } from './template.ts';

const sources = ['glob', 'csv', 'jsonl', 'values'];

/** What `items:` says before anything else is known. */
export interface ItemsDraft {
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
function fieldsOf(items: Readonly<Record<string, Json>>): readonly string[] | undefined {
  const { values } = items;
  if (items['csv'] !== undefined || items['jsonl'] !== undefined) return undefined;
  if (Array.isArray(values)) {
    const own = values.flatMap((value) => (isObject(value) ? Object.keys(value) : ['value']));
    return ['key', 'index', ...new Set(own)];
  }
  return items['glob'] === undefined && items['matrix'] !== undefined
    ? ['key', 'index']
    : globItemFields;
}

export function checkItems(
  items: Json | undefined,
  { declared: item, when }: ItemsDraft,
  declared: Declared,
  source: Source,
): readonly Diagnostic[] {
  if (!isObject(items) || item === undefined) return [];
  const found: Diagnostic[] = [];
  const report: Report = (code, message, span, hint) =>
    void found.push({ severity: 'error', code, file: source.file, span, message, hint });
  const at = (...path: Path): Span => source.spanOf(['items', ...path]);
  checkSource(items, report, source);
  for (const name of ['delimiter', 'types'])
    if (items[name] !== undefined && items['csv'] === undefined)
      report(
        'SL528',
        `items.${name} is only for a csv file`,
        source.keySpanOf(['items', name]),
        `remove ${name}:`,
      );
  checkGlob(items['glob'], report, at);
  checkKey(items, item, report, at);
  if (items['matrix'] !== undefined)
    checkMatrix(matrixOf(items['matrix']), item.fields, report, {
      at: (...path) => at('matrix', ...path),
      keyAt: (...path) => source.keySpanOf(['items', 'matrix', ...path]),
    });
  for (const { root, key, start, end } of when?.references ?? []) {
    const span = source.spanInside(['items', 'when'], when?.text ?? '', start, end);
    const known = root === 'item' || root === 'matrix' || root === 'inputs' || root === 'env';
    const finding = known ? aboutName({ root, key }, declared) : tooEarly(root);
    if (finding !== undefined) report(finding.code, finding.message, span, finding.hint);
  }
  return found;
}

const tooEarly = (root: string): NameFinding => ({
  code: 'SL218',
  message: `items.when is decided before any step runs, so ${root} is not known in it`,
  hint: 'use item, matrix, inputs and env; or put the condition in if:',
});

function checkSource(items: Readonly<Record<string, Json>>, report: Report, source: Source): void {
  const own = sources.filter((name) => items[name] !== undefined);
  if (own.length === 1 || (own.length === 0 && items['matrix'] !== undefined)) return;
  const second = own[1];
  report(
    'SL109',
    `items must have exactly one of: ${sources.join(', ')}`,
    source.keySpanOf(second === undefined ? ['items'] : ['items', second]),
    own.length === 0
      ? 'or only a matrix: items: { matrix: { style: [oil, ink] } }'
      : `it has ${own.join(' and ')}; for every combination of two lists, use a matrix`,
  );
}

function checkGlob(glob: Json | undefined, report: Report, at: (...path: Path) => Span): void {
  if (!Array.isArray(glob)) return;
  const patterns = patternsOf(glob);
  if (patterns.every(isExclusion))
    report(
      'SL501',
      'items.glob only excludes files',
      at('glob'),
      'add a pattern that finds files, such as "photos/*.jpg"',
    );
  patterns.forEach((pattern, index) => {
    const first = patterns.indexOf(pattern);
    if (first < index)
      report(
        'SL525',
        `items.glob has the pattern ${JSON.stringify(pattern)} twice`,
        at('glob', index),
        'remove one of them',
      );
  });
}

function checkKey(
  items: Readonly<Record<string, Json>>,
  { fields }: DeclaredItem,
  report: Report,
  at: (...path: Path) => Span,
): void {
  const { key } = items;
  if (typeof key !== 'string') return;
  if (!sources.some((name) => items[name] !== undefined)) {
    if (items['matrix'] === undefined) return;
    return report(
      'SL528',
      'items.key is for glob, csv, jsonl and values; the values of a matrix name its items',
      at('key'),
      'remove key:',
    );
  }
  const inner = /^\s*(?:\$\{\{)?\s*item\.(\w+)\s*(?:\}\})?\s*$/.exec(key)?.[1];
  if (inner !== undefined || key.includes('${{'))
    return report(
      'SL529',
      `items.key is the name of a field, not an expression`,
      at('key'),
      `write key: ${inner ?? '<field>'}`,
    );
  const named = fields?.filter((field) => field !== 'key');
  const finding = named === undefined ? undefined : unknownName('SL206', 'item has no', key, named);
  if (finding !== undefined && key !== 'key')
    report('SL206', `items.key: ${finding.message}`, at('key'), finding.hint);
}
