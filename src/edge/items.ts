// Lists the items of a pipeline: the files that a glob finds, or the values in the file.
import { isAbsolute, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { glob } from 'tinyglobby';
import { err, ok, type Result } from '../base/result.ts';
import type { Items } from '../language/pipeline.ts';
import { fileItem, globBase, type Item, valueItem } from '../task/item.ts';

export interface ItemFilter {
  /** Only items whose key matches this glob. */
  readonly only?: string | undefined;
  /** Not those whose key matches one of these globs. */
  readonly except?: readonly string[] | undefined;
  /** Only these keys. */
  readonly keys?: ReadonlySet<string> | undefined;
  /** Only the first so many. */
  readonly limit?: number | undefined;
}

/** Items in a fixed order. They are made as they are asked for: only their names are in memory. */
export interface ItemList {
  readonly count: number;
  /** How many there are without the filter. */
  readonly total: number;
  [Symbol.iterator](): Iterator<Item>;
}

/** Errors: nothing found, two items with one key, outputs among the inputs. */
export async function listItems(
  items: Items,
  folder: string,
  output: string,
  filter: ItemFilter,
): Promise<Result<ItemList, string>> {
  switch (items.kind) {
    case 'one':
      return ok({ count: 1, total: 1, *[Symbol.iterator]() {} });
    case 'values':
      return filtered(
        items.values.length,
        (index) => valueItem(items.values[index] ?? null, index),
        filter,
      );
    case 'glob': {
      const found = await findFiles(items.pattern, folder);
      if (found.length === 0)
        return err(`items.glob ${JSON.stringify(items.pattern)} finds no file (from ${folder})`);
      const inside = found.find((path) => isBelow(resolve(folder, path), output));
      if (inside !== undefined)
        return err(
          `items.glob finds ${inside}, which is in the output folder: results would become items`,
        );
      const base = baseOf(items.pattern, folder);
      return filtered(found.length, (index) => fileItem(found[index] ?? '', base, index), filter);
    }
  }
}

async function findFiles(pattern: string, folder: string): Promise<readonly string[]> {
  const found = await glob(pattern, {
    cwd: folder,
    onlyFiles: true,
    expandDirectories: false,
    absolute: false,
  });
  return found.map((path) => (sep === '/' ? path : path.split(sep).join('/'))).sort();
}

/** The folder before a glob's first wildcard, as found paths spell it: relative, without "./". */
function baseOf(pattern: string, folder: string): string {
  const base = relative(folder, resolve(folder, globBase(pattern)));
  return base === '' ? '' : `${sep === '/' ? base : base.split(sep).join('/')}/`;
}

function isBelow(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
}

function filtered(
  count: number,
  at: (index: number) => Item,
  filter: ItemFilter,
): Result<ItemList, string> {
  const { only, except = [], keys: wanted, limit = Number.POSITIVE_INFINITY } = filter;
  const matches = only === undefined ? () => true : picomatch(only);
  const excluded = except.map((pattern) => ({ pattern, matches: picomatch(pattern), hits: 0 }));
  const chosen: number[] = [];
  const keys = new Set<string>();
  for (let index = 0; index < count; index++) {
    const { key } = at(index);
    if (keys.has(key)) return err(`two items have the key ${JSON.stringify(key)}`);
    keys.add(key);
    const against = excluded.filter((one) => one.matches(key));
    for (const one of against) one.hits += 1;
    if (against.length > 0 || !matches(key) || wanted?.has(key) === false) continue;
    if (chosen.length < limit) chosen.push(index);
  }
  const idle = excluded.find(({ hits }) => hits === 0);
  if (idle !== undefined)
    return err(`--exclude ${idle.pattern}: there is no such step, and no item matches it`);
  if (chosen.length === 0 && wanted === undefined)
    return err(only === undefined ? 'no item is left' : `no item matches --items ${only}`);
  return ok({
    count: chosen.length,
    total: count,
    *[Symbol.iterator]() {
      for (const index of chosen) yield at(index);
    },
  });
}
