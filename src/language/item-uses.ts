// Which fields of an item a pipeline uses.
import type { Expression } from './expression.ts';
import { type Items, type MeasuredField, measuredFields } from './items.ts';
import type { Pipeline } from './pipeline.ts';
import { expressionsIn } from './step-expressions.ts';

/** The fields that must be read from the files of the items. */
export function measuredUses(pipeline: Pipeline): ReadonlySet<MeasuredField> {
  const { items, steps } = pipeline;
  if (items.kind !== 'glob') return new Set();
  const expressions = steps.flatMap(expressionsIn).map(({ expression }) => expression);
  return new Set([...measuredIn(expressions), ...measuredInItems(items)]);
}

/** Those of them that decide which items there are, and what their keys are. */
export function measuredInItems(items: Items): ReadonlySet<MeasuredField> {
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
