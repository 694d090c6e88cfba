// Which fields of an item a pipeline uses.

import type { Diagnostic, Path, Span } from '../contract/yaml/diagnostic.ts';
import type { Expression } from './expression.ts';
import { type Items, type MeasuredField, measuredFields } from './items.ts';
import { expressionsIn, type Pipeline } from './pipeline.ts';
import { unknownName } from './references.ts';

/** The fields that must be read from the files of the items. */
export function measuredUses(pipeline: Pipeline): ReadonlySet<MeasuredField> {
  const { items, steps } = pipeline;
  if (items.kind !== 'glob') return new Set();
  const expressions = steps.flatMap(expressionsIn).map(({ expression }) => expression);
  return new Set([...measuredIn(expressions), ...measuredInItems(items)]);
}

/** Those of them that decide which items there are, and what their keys are. */
function measuredInItems(items: Items): ReadonlySet<MeasuredField> {
  if (items.kind !== 'glob') return new Set();
  const { include = [], exclude = [] } = items.matrix ?? {};
  const named = [...include, ...exclude].flatMap(({ item }) => Object.keys(item));
  if (items.key !== undefined) named.push(items.key);
  return measuredIn(items.when === undefined ? [] : [items.when], named);
}

function measuredIn(
  expressions: readonly Expression[],
  named: readonly string[] = [],
): ReadonlySet<MeasuredField> {
  const used = new Set(
    expressions.flatMap(({ references }) =>
      references.flatMap(({ root, key }) => (root === 'item' && key !== undefined ? [key] : [])),
    ),
  );
  for (const field of named) used.add(field);
  return new Set(measuredFields.filter((field) => used.has(field)));
}

/** Errors about columns that the table does not have, for when it is read. */
export function checkColumns(
  { items, steps, source }: Pipeline,
  columns: readonly string[],
): readonly Diagnostic[] {
  if (items.kind !== 'csv' && items.kind !== 'jsonl') return [];
  const { file } = source;
  const found: Diagnostic[] = [];
  const check = (name: string, known: readonly string[], span: Span): void => {
    const finding = unknownName('SL206', `${items.file} has no column`, name, known);
    if (finding !== undefined) found.push({ severity: 'error', file, span, ...finding });
  };
  const at = (...path: Path): Span => source.spanOf(['items', ...path]);
  if (items.key !== undefined) check(items.key, columns, at('key'));
  if (items.kind === 'csv')
    for (const column of Object.keys(items.types))
      check(column, columns, source.keySpanOf(['items', 'types', column]));
  const fields = [...columns, 'key', 'index'];
  for (const what of ['include', 'exclude'] as const)
    items.matrix?.[what].forEach(({ item }, index) => {
      for (const field of Object.keys(item))
        check(field, fields, at('matrix', what, index, `item.${field}`));
    });
  const whens =
    items.when === undefined ? [] : [{ path: ['items', 'when'], expression: items.when }];
  for (const { path, expression } of [...whens, ...steps.flatMap(expressionsIn)])
    for (const { root, key, start, end } of expression.references)
      if (root === 'item' && key !== undefined)
        check(key, fields, source.spanInside(path, expression.text, start, end));
  return found;
}
