// Lists the items of a pipeline: the files that a glob finds, or the values in the pipeline file.
import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import type { Code } from '../../../contract/codes/all.ts';
import { suggestion } from '../../../contract/yaml/diagnostic.ts';
import type { Items } from '../../language/pipeline.ts';
import { isTemporaryName } from '../../plan/temporary-name.ts';
import { fileItem, globBase, type Item, valueItem } from '../../task/item.ts';
import { whyEmpty } from './empty-glob.ts';
import { type Barred, findFiles } from './find-files.ts';
import { type Match, matchOf } from './glob.ts';
import { oddSentences } from './odd-files.ts';
import { realPathOr } from './real-path.ts';

export interface ItemFilter {
  /** Only items whose key matches this glob. */
  readonly only?: string | undefined;
  /** Without items whose key matches one of these globs. */
  readonly except?: readonly string[] | undefined;
  /** Only these keys. */
  readonly keys?: ReadonlySet<string> | undefined;
  /** Only this many items, from the start of the list. */
  readonly limit?: number | undefined;
  /**
   * The files come and go: nothing found is no error, a pattern may match nothing yet, and names of files that are still
   * being written are left out.
   */
  readonly growing?: boolean | undefined;
}

/** Items in a fixed order. Only their names are in memory; an item is made when it is asked for. */
export interface ItemList {
  readonly count: number;
  /** The number of items without the filter. */
  readonly total: number;
  /** Sentences about entries that are there but are not items. */
  readonly warnings: readonly string[];
  [Symbol.iterator](): Iterator<Item>;
}

/** Why there are no items, and what to do. */
export interface ItemListProblem {
  readonly code: Code;
  readonly message: string;
  readonly hint?: string;
}

/** Errors: nothing found, two items with the same key, outputs among the inputs. */
export async function listItems(
  items: Items,
  folder: string,
  output: string,
  filter: ItemFilter,
  barred?: Barred,
): Promise<Result<ItemList, ItemListProblem>> {
  switch (items.kind) {
    case 'one':
      return ok({ count: 1, total: 1, warnings: [], *[Symbol.iterator]() {} });
    case 'values':
      return filtered(
        items.values.length,
        (index) => valueItem(items.values[index] ?? null, index),
        filter,
      );
    case 'glob':
      return await listFiles(items.pattern, folder, output, filter, barred);
  }
}

async function listFiles(
  pattern: string,
  folder: string,
  output: string,
  filter: ItemFilter,
  barred: Barred = () => undefined,
): Promise<Result<ItemList, ItemListProblem>> {
  const said = `items.glob ${JSON.stringify(short(pattern))}`;
  const base = globBase(pattern);
  const before = baseOf(base, folder);
  const root = resolve(folder, base);
  const refused = existsSync(root) ? barred(realPathOr(root)) : undefined;
  if (refused !== undefined)
    return problem('SL702', `${said}: the folder ${base || '.'} ${refused}`);
  const found = await findFiles(pattern.slice(base.length), root, barred);
  if (!found.ok) return problem('SL107', `${said} ${found.error}`);
  const { odd } = found.value;
  const paths = filter.growing === true ? found.value.paths.filter(isWhole) : found.value.paths;
  const warnings = oddSentences(
    odd,
    (path) => `${before}${path}`.replace(/\/$/, '') || 'its folder',
  );
  if (paths.length === 0 && filter.growing !== true) {
    const why = odd.length > 0 ? warnings.join('; ') : await whyEmpty(pattern, folder);
    return problem('SL501', `${said} finds no file (from ${folder})`, why);
  }
  const inside = paths.find((path) => isBelow(resolve(folder, before, path), output));
  if (inside !== undefined)
    return problem(
      'SL503',
      `${said} finds ${before}${inside}, which is in the output folder: results would become items`,
      'use a narrower glob, or another output folder',
    );
  const at = (index: number): Item => fileItem(`${before}${paths[index] ?? ''}`, before, index);
  const list = filtered(paths.length, at, filter);
  if (list.ok) return ok({ ...list.value, warnings });
  const { only = '' } = filter;
  if (before === '' || !only.startsWith(before)) return list;
  const below = JSON.stringify(only.slice(before.length));
  return problem(
    'SL505',
    list.error.message,
    `keys are paths below ${JSON.stringify(before)}: write ${below}`,
  );
}

const isWhole = (path: string): boolean => !isTemporaryName(path.slice(path.lastIndexOf('/') + 1));

/** A pattern, shortened for a message. */
const short = (pattern: string): string =>
  pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern;

const problem = (code: Code, message: string, hint?: string): Result<never, ItemListProblem> =>
  err({ code, message, ...(hint === undefined ? {} : { hint }) });

/**
 * The folder before a glob's first wildcard, in the form that found paths have: relative, without "./", with "/" at the
 * end.
 */
function baseOf(base: string, folder: string): string {
  const path = relative(folder, resolve(folder, base));
  return path === '' ? '' : `${sep === '/' ? path : path.split(sep).join('/')}/`;
}

function isBelow(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
}

interface Excluded {
  readonly pattern: string;
  readonly matches: Match;
  hits: number;
}

function filtered(
  count: number,
  at: (index: number) => Item,
  filter: ItemFilter,
): Result<ItemList, ItemListProblem> {
  const { only, except = [], keys: wanted, limit = Number.POSITIVE_INFINITY } = filter;
  const mayBeEmpty = wanted !== undefined || filter.growing === true;
  const all = new Set<string>();
  for (let index = 0; index < count; index++) {
    const { key } = at(index);
    if (all.has(key))
      return problem(
        'SL502',
        `two items have the key ${JSON.stringify(key)}`,
        'give each item a key of its own',
      );
    all.add(key);
  }
  const chosenBy = only === undefined ? ok(() => true) : keyMatch(only, all);
  if (!chosenBy.ok) return problem('SL505', `--items ${short(only ?? '')} ${chosenBy.error}`);
  const excluded: Excluded[] = [];
  for (const pattern of except) {
    const matches = keyMatch(pattern, all);
    if (!matches.ok) return problem('SL505', `--exclude ${short(pattern)} ${matches.error}`);
    excluded.push({ pattern, matches: matches.value, hits: 0 });
  }
  const chosen: number[] = [];
  let index = -1;
  for (const key of all) {
    index += 1;
    const against = excluded.filter((one) => one.matches(key));
    for (const one of against) one.hits += 1;
    if (against.length > 0 || !chosenBy.value(key) || wanted?.has(key) === false) continue;
    if (chosen.length < limit) chosen.push(index);
  }
  const idle = excluded.find(({ hits }) => hits === 0);
  if (idle !== undefined && filter.growing !== true)
    return problem(
      'SL505',
      `--exclude ${idle.pattern}: there is no such step, and no item matches it`,
      likeKeys(idle.pattern, all),
    );
  if (chosen.length === 0 && !mayBeEmpty)
    return only === undefined
      ? problem('SL505', 'no item is left')
      : problem('SL505', `no item matches --items ${short(only)}`, likeKeys(only, all));
  return ok({
    count: chosen.length,
    total: count,
    warnings: [],
    *[Symbol.iterator]() {
      for (const index of chosen) yield at(index);
    },
  });
}

/** A pattern that equals a key selects that item alone. Any other pattern is a glob. */
function keyMatch(pattern: string, keys: ReadonlySet<string>): Result<Match, string> {
  return keys.has(pattern) ? ok((key) => key === pattern) : matchOf(pattern, { dot: true });
}

const nearest = 2000;

/** Examples of keys, for a pattern that matches none. */
function likeKeys(pattern: string, keys: ReadonlySet<string>): string {
  const some = [...keys].slice(0, nearest);
  const shown = some.slice(0, 3).map((key) => JSON.stringify(key));
  const near = suggestion(pattern, some);
  const looks = `keys look like ${shown.join(', ')}${keys.size > 3 ? `, … (${keys.size.toLocaleString('en-US')} in all)` : ''}`;
  return near === undefined ? looks : `${near} ${looks[0]?.toUpperCase() ?? ''}${looks.slice(1)}`;
}
