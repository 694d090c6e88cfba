// Checks the names of columns in a pipeline file, when its table is read.
import type { Diagnostic } from '../contract/yaml/diagnostic.ts';
import type { Path, Span } from '../contract/yaml/place.ts';
import { unknownName } from './name-finding.ts';
import type { Pipeline } from './pipeline.ts';
import { expressionsIn } from './step-expressions.ts';

/** Errors about columns that the table does not have. */
export function checkColumns(
  { items, steps, source }: Pipeline,
  columns: readonly string[],
): readonly Diagnostic[] {
  if (items.kind !== 'csv' && items.kind !== 'jsonl') return [];
  const found: Diagnostic[] = [];
  const look = (name: string, known: readonly string[], what: string, span: Span): void => {
    const finding = unknownName('SL206', what, name, known);
    if (finding === undefined) return;
    found.push({ severity: 'error', file: source.file, span, ...finding });
  };
  const at = (...path: Path): Span => source.spanOf(['items', ...path]);
  const table = `${items.file} has no column`;
  if (items.key !== undefined) look(items.key, columns, table, at('key'));
  if (items.kind === 'csv')
    for (const column of Object.keys(items.types))
      look(column, columns, table, source.keySpanOf(['items', 'types', column]));
  const fields = [...columns, 'key', 'index'];
  for (const what of ['include', 'exclude'] as const)
    items.matrix?.[what].forEach(({ item }, index) => {
      for (const field of Object.keys(item))
        look(field, fields, table, at('matrix', what, index, `item.${field}`));
    });
  const placed = steps.flatMap(expressionsIn);
  if (items.when !== undefined) placed.unshift({ path: ['items', 'when'], expression: items.when });
  for (const { path, expression } of placed)
    for (const { root, key, start, end } of expression.references)
      if (root === 'item' && key !== undefined)
        look(key, fields, table, source.spanInside(path, expression.text, start, end));
  return found;
}
