// Which fields of an item a pipeline uses.
import { type MeasuredField, measuredFields } from './items.ts';
import type { Pipeline } from './pipeline.ts';
import { expressionsIn } from './step-expressions.ts';

/** The fields that must be read from the files of the items. */
export function measuredUses(pipeline: Pipeline): ReadonlySet<MeasuredField> {
  const { items } = pipeline;
  if (items.kind !== 'glob') return new Set();
  const expressions = pipeline.steps.flatMap(expressionsIn).map(({ expression }) => expression);
  if (items.when !== undefined) expressions.push(items.when);
  const used = new Set(
    expressions.flatMap(({ references }) =>
      references.flatMap(({ root, key }) => (root === 'item' && key !== undefined ? [key] : [])),
    ),
  );
  const { include = [], exclude = [] } = items.matrix ?? {};
  for (const { item } of [...include, ...exclude])
    for (const field of Object.keys(item)) used.add(field);
  if (items.key !== undefined) used.add(items.key);
  return new Set(measuredFields.filter((field) => used.has(field)));
}
