// Lists the items of a pipeline: the files that globs find, the rows of a table, the values in the pipeline file, and their
// combinations with a matrix.
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { Items } from '../../language/items.ts';
import { type Item, valueItem } from '../../task/item.ts';
import { globSource } from './glob-source.ts';
import { chosenOf, type ItemFilter } from './item-filter.ts';
import { ItemKeys } from './item-keys.ts';
import {
  closeNothing,
  type ItemListProblem,
  type ItemSource,
  type ListContext,
} from './item-source.ts';
import { measuredSource } from './measured-source.ts';
import { tableSource } from './table-source.ts';

export type { ItemFilter } from './item-filter.ts';
export type { ItemListProblem, ListContext } from './item-source.ts';

/** Items in a fixed order. Only what names them is in memory; an item is made when it is asked for. */
export interface ItemList {
  readonly count: number;
  /** The number of items without the filter. */
  readonly total: number;
  /** Sentences about entries that are there but are not items. */
  readonly warnings: readonly string[];
  /** True if some folders or files could not be looked at, so that missing items may still exist. */
  readonly blind: boolean;
  /** Frees what the list holds. */
  [Symbol.dispose](): void;
  [Symbol.iterator](): Iterator<Item>;
}

/** Errors: nothing found, two items with the same key, outputs among the inputs, a table that cannot be read. */
export async function listItems(
  items: Items,
  folder: string,
  output: string,
  filter: ItemFilter,
  context: ListContext = {},
): Promise<Result<ItemList, readonly ItemListProblem[]>> {
  if (items.kind === 'one') {
    return ok({
      ...{ warnings: [], blind: false, count: 1, total: 1 },
      [Symbol.dispose]: closeNothing,
      *[Symbol.iterator]() {},
    });
  }
  const growing = filter.growing ?? false;
  const opened = await sourceOf(items, { folder, output, growing, context });
  if (!opened.ok) return opened;
  const source = opened.value;
  const keys = new ItemKeys(items, source);
  const all = keys.all(context, growing);
  if (!all.ok) {
    source.close();
    return all;
  }
  if (all.value.size === 0 && items.when !== undefined && !growing) {
    source.close();
    const hint = 'change the condition, or the items';
    return err([
      { code: 'SL530', message: 'no item is left: items.when is false for all of them', hint },
    ]);
  }
  const chosen = chosenOf(all.value, filter);
  if (!chosen.ok) {
    source.close();
    return err([belowBase(chosen.error, source, filter)]);
  }
  const { warnings, blind } = source;
  const numbers = chosen.value;
  return ok({
    ...{ count: numbers.length, total: all.value.size, warnings, blind },
    [Symbol.dispose]: () => source.close(),
    *[Symbol.iterator]() {
      for (const number of numbers) yield keys.at(number);
    },
  });
}

interface Search {
  readonly folder: string;
  readonly output: string;
  readonly growing: boolean;
  readonly context: ListContext;
}

async function sourceOf(
  items: Exclude<Items, { readonly kind: 'one' }>,
  { folder, output, growing, context }: Search,
): Promise<Result<ItemSource, readonly ItemListProblem[]>> {
  switch (items.kind) {
    case 'glob': {
      const { barred } = context;
      const found = await globSource({ patterns: items.patterns, folder, output, barred, growing });
      return found.ok ? ok(await measuredSource(found.value, folder, context)) : found;
    }
    case 'values':
      return ok({
        ...{ count: items.values.length, warnings: [], blind: false, close: closeNothing },
        at: (index) => valueItem(items.values[index] ?? null, index),
        placeOf: ({ fields }) => `value ${Number(fields['index']) + 1}`,
      });
    case 'matrix':
      return ok({
        ...{ count: 1, warnings: [], blind: false, close: closeNothing },
        at: () => ({ key: '', fields: { index: 0 } }),
        placeOf: () => '',
      });
    case 'csv':
    case 'jsonl':
      return await tableSource(items, folder, context);
  }
}

/** A pattern for keys that names the folder above them. */
function belowBase(
  problem: ItemListProblem,
  source: ItemSource,
  { only = '' }: ItemFilter,
): ItemListProblem {
  const { base: before = '' } = source;
  if (before === '' || !only.startsWith(before)) return problem;
  const below = JSON.stringify(only.slice(before.length));
  const hint = `keys are paths below ${JSON.stringify(before)}: write ${below}`;
  return { ...problem, hint };
}
