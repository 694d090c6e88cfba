// Lists the items of a pipeline: the files that globs find, the rows of a table, the values in the pipeline file, and their
// combinations with a matrix.
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { systemReason } from '../base/system-error.ts';
import { grouped } from '../base/text.ts';
import { suggestion } from '../contract/yaml/diagnostic.ts';
import { type ExpressionError, toCel } from '../language/expression.ts';
import type { Items, MeasuredField } from '../language/items.ts';
import { expressionRemedy } from '../language/template.ts';
import { type Combination, combinationsOf, dependsOnItem } from '../model/combinations.ts';
import { type Cell, type Item, valueItem } from '../model/item.ts';
import { type CountedPattern, type Match, matchesOne, matchOf } from './glob.ts';
import { type GlobSource, globSource } from './glob-source.ts';
import {
  closeNothing,
  type ItemListProblem,
  type ItemSource,
  type ListContext,
} from './item-source.ts';
import { headerOf } from './media-header.ts';
import { tableSource } from './table-source.ts';

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
      warnings: [],
      blind: false,
      count: 1,
      total: 1,
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
    count: numbers.length,
    total: all.value.size,
    warnings,
    blind,
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
        count: items.values.length,
        warnings: [],
        blind: false,
        close: closeNothing,
        at: (index) => valueItem(items.values[index] ?? null, index),
        placeOf: ({ fields }) => `value ${Number(fields['index']) + 1}`,
      });
    case 'matrix':
      return ok({
        count: 1,
        warnings: [],
        blind: false,
        close: closeNothing,
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
  { only = [] }: ItemFilter,
): ItemListProblem {
  const { base: before = '' } = source;
  const above = [only].flat().find((pattern) => pattern.startsWith(before));
  if (before === '' || above === undefined) return problem;
  const below = JSON.stringify(above.slice(before.length));
  const hint = `keys are paths below ${JSON.stringify(before)}: write ${below}`;
  return { ...problem, hint };
}

// Goes through all items of a source once: with each combination of the matrix, without those that `when:` leaves out.
// Each key must be there only once.

type ManyItems = Exclude<Items, { readonly kind: 'one' }>;

const maxProblems = 100;
const textColumn = '; a column is text unless items.types says otherwise';
const neither = { code: 'SL311', message: 'the result is not true or false' } as const;

/** The items of a source, each with its number: that of the file or row, times the combinations, plus the combination. */
class ItemKeys {
  readonly #items: ManyItems;
  readonly #source: ItemSource;
  /** Undefined if the combinations depend on the item. */
  readonly #fixed: readonly Combination[] | undefined;
  readonly #width: number;

  constructor(items: ManyItems, source: ItemSource) {
    this.#items = items;
    this.#source = source;
    const { matrix } = items;
    this.#fixed =
      matrix === undefined || dependsOnItem(matrix) ? undefined : combinationsOf(matrix);
    const all = matrix === undefined ? 1 : combinationsOf({ ...matrix, exclude: [] }).length;
    this.#width = Math.max(1, all + (matrix?.include.length ?? 0));
  }

  at(number: number): Item {
    const base = this.#named(Math.floor(number / this.#width));
    const combination = this.#combinationsFor(base.fields)?.[number % this.#width];
    return combination === undefined ? base : this.#combined(base, combination, number);
  }

  /** The numbers of all items, by key. */
  all(
    { base: names, spanInside }: ListContext,
    growing: boolean,
  ): Result<ReadonlyMap<string, number>, readonly ItemListProblem[]> {
    const { when } = this.#items;
    const keys = new Map<string, number>();
    const problems: ItemListProblem[] = [];
    const said = new Set<string>();
    const holds = (item: Item): boolean => {
      if (when === undefined) return true;
      const { fields, matrix } = item;
      const known = { inputs: {}, env: {}, ...names, steps: {}, run: {} };
      const value = when.evaluate({ ...known, item: toCel(fields), matrix: toCel(matrix) });
      if (value.ok && typeof value.value === 'boolean') return value.value;
      // A file that is still being written may lack what it will have.
      if (growing) return false;
      const { code, message, start, end, hint }: ExpressionError = value.ok
        ? { ...neither, start: 0, end: when.text.length }
        : value.error;
      // An expression that is wrong is wrong for every item.
      const told = `${code} ${lackingOr(message, item)}`;
      if (said.has(told)) return false;
      said.add(told);
      const span = spanInside?.(['items', 'when'], when.text, start, end);
      const sentence = `items.when for ${item.key}: ${lackingOr(message, item)}`;
      const cell = item.cell?.(when.references.flatMap(({ key }) => key ?? []));
      const ofText = cell !== undefined && code === 'SL305';
      const remedy = `${hint ?? expressionRemedy({ code, message, text: when.text })}${ofText ? textColumn : ''}`;
      const where = cell === undefined ? '' : ` (${placed(cell)})`;
      problems.push({
        code,
        message: sentence + where,
        hint: remedy,
        span,
      });
      return false;
    };
    for (let row = 0; row < this.#source.count && problems.length < maxProblems; row++) {
      const base = this.#named(row);
      const combinations = this.#combinationsFor(base.fields);
      const count = combinations?.length ?? 1;
      for (let at = 0; at < count && problems.length < maxProblems; at++) {
        const combination = combinations?.[at];
        const number = row * this.#width + at;
        const item = combination === undefined ? base : this.#combined(base, combination, number);
        if (!holds(item)) continue;
        const other = keys.get(item.key);
        if (item.key === '') problems.push(this.#withoutKey(item));
        else if (other === undefined) keys.set(item.key, number);
        else problems.push(this.#twice(item, number, other));
      }
    }
    return problems.length > 0 ? err(problems) : ok(keys);
  }

  #named(row: number): Item {
    const item = this.#source.at(row);
    const { key: name } = this.#items;
    if (name === undefined) return item;
    const value = item.fields[name];
    const key =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? String(value)
        : '';
    return { ...item, key, fields: { ...item.fields, key } };
  }

  #combinationsFor(fields: JsonObject): readonly Combination[] | undefined {
    const { matrix } = this.#items;
    return matrix === undefined ? undefined : (this.#fixed ?? combinationsOf(matrix, fields));
  }

  #combined(base: Item, { key: own, values }: Combination, number: number): Item {
    // The combinations of a photo have its index; without a source, each has its own.
    if (this.#items.kind === 'matrix')
      return { key: own, fields: { key: own, index: number }, matrix: values };
    const key = `${base.key}/${own}`;
    return {
      ...base,
      key: base.key === '' ? '' : key,
      fields: { ...base.fields, key },
      matrix: values,
    };
  }

  #withoutKey(item: Item): ItemListProblem {
    const name = this.#items.key ?? 'key';
    const cell = item.cell?.([name]);
    const about = {
      code: 'SL524',
      hint: `give it a value, or name the items by another field`,
    } as const;
    if (cell !== undefined)
      return { ...about, message: `${name} is empty, so the row has no key`, ...placeOf(cell) };
    const place = this.#source.placeOf(item);
    const message =
      place === '' ? 'an item has an empty key' : `${place} has no key: ${name} is empty`;
    return { ...about, message };
  }

  #twice(item: Item, number: number, other: number): ItemListProblem {
    const said = JSON.stringify(item.key);
    const { key } = this.#items;
    const first = this.at(other);
    if (Math.floor(number / this.#width) === Math.floor(other / this.#width)) {
      const [one, two] = [first, item].map(({ matrix }) => JSON.stringify(matrix));
      const message = `two combinations have the key ${said}: ${one} and ${two}`;
      const hint = 'give one of the entries of include a key of its own: key: …';
      return { code: 'SL502', message, hint };
    }
    const hint =
      key === undefined
        ? 'give each item a key of its own'
        : 'change one of them, or name the items by another field';
    const cell = item.cell?.([key ?? 'key']);
    if (cell !== undefined) {
      const message = `two rows have the key ${said}: the other one is ${placed(first.cell?.([key ?? 'key']))}`;
      return { code: 'SL502', message, hint, ...placeOf(cell) };
    }
    const [one, two] = [first, item].map((each) => this.#source.placeOf(each));
    const message = `two items have the key ${said}: ${one} and ${two}`;
    return { code: 'SL502', message, hint };
  }
}

const placeOf = ({
  file,
  span,
  excerpt,
}: Cell): Pick<ItemListProblem, 'file' | 'span' | 'excerpt'> => ({
  file,
  span,
  excerpt,
});

/** `people.csv:17:3` */
const placed = (cell: Cell | undefined): string =>
  cell === undefined ? '' : `${cell.file}:${cell.span.line}:${cell.span.column}`;

/** Says why a field is missing, if the item knows. */
function lackingOr(message: string, { lacks, fields }: Item): string {
  const name = /^there is no "(\w+)"$/.exec(message)?.[1];
  const why = name === undefined ? undefined : lacks?.[name];
  return why === undefined ? message : `${String(fields['path'])} ${why}`;
}

// The fields of an item that are in its file: its size, its hash, and what the header of a picture, clip or sound says.
// Only fields that an expression uses are read, once, when the items are listed.

const filesAtOnce = 8;

interface Measured {
  readonly fields: JsonObject;
  readonly lacks: Readonly<Record<string, string>>;
}

async function measuredSource(
  source: GlobSource,
  folder: string,
  { measured = new Set(), refusal, digest }: ListContext,
): Promise<ItemSource> {
  if (measured.size === 0) return source;
  const found: Measured[] = [];
  const measure = async (path: string): Promise<Measured> => {
    const file = resolve(folder, path);
    const refused = refusal?.(file);
    const values: Record<string, number | string> = {};
    const lacks: Record<string, string> = {};
    const note = (field: MeasuredField, value: Result<number | string, string>): void => {
      if (value.ok) values[field] = value.value;
      else lacks[field] = value.error;
    };
    const wanted = [...measured];
    if (refused !== undefined)
      return { fields: {}, lacks: Object.fromEntries(wanted.map((field) => [field, refused])) };
    for (const field of wanted) {
      if (field === 'bytes') note(field, bytesOf(file));
      else if (field === 'sha256') note(field, await (digest?.(path) ?? digestOf(file)));
      else note(field, await headerOf(file, field));
    }
    return { fields: values, lacks };
  };
  for (let start = 0; start < source.count; start += filesAtOnce) {
    const paths = source.paths.slice(start, start + filesAtOnce);
    found.push(...(await Promise.all(paths.map(measure))));
  }
  return {
    ...source,
    at: (index) => {
      const item = source.at(index);
      const { fields, lacks } = found[index] ?? { fields: {}, lacks: {} };
      return { ...item, fields: { ...item.fields, ...fields }, lacks };
    },
  };
}

function bytesOf(file: string): Result<number, string> {
  try {
    return ok(statSync(file).size);
  } catch (error) {
    return err(systemReason(error));
  }
}

async function digestOf(file: string): Promise<Result<string, string>> {
  try {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    return ok(hash.digest('hex'));
  } catch (error) {
    return err(systemReason(error));
  }
}

// Which items of a list a command covers: those whose keys match `--items`, not `--exclude`, up to `--limit`.

export interface ItemFilter {
  /** Only items whose key matches one of these globs. */
  readonly only?: string | readonly string[] | undefined;
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

/** The numbers of the items that are left, in order. `keys`: the numbers of all items, by key. */
function chosenOf(
  keys: ReadonlyMap<string, number>,
  filter: ItemFilter,
): Result<readonly number[], ItemListProblem> {
  const { keys: wanted, limit = Number.POSITIVE_INFINITY } = filter;
  const isGrowing = filter.growing === true;
  const only = patternsOf('--items', [filter.only ?? []].flat(), keys);
  if (!only.ok) return only;
  const except = patternsOf('--exclude', filter.except ?? [], keys);
  if (!except.ok) return except;
  const chosen: number[] = [];
  for (const [key, number] of keys) {
    const isWanted = only.value.length === 0 || matchesOne(key, only.value);
    if (matchesOne(key, except.value) || !isWanted || wanted?.has(key) === false) continue;
    if (chosen.length < limit) chosen.push(number);
  }
  const idle = isGrowing ? undefined : except.value.find(({ hits }) => hits === 0);
  if (idle !== undefined)
    return problem(
      `--exclude ${idle.pattern}: there is no such step, and no item matches it`,
      likeKeys(idle.pattern, keys),
    );
  if (isGrowing || wanted !== undefined) return ok(chosen);
  const vain = only.value.find(({ hits }) => hits === 0);
  if (vain !== undefined)
    return problem(
      `no item matches --items ${shortened(vain.pattern)}`,
      likeKeys(vain.pattern, keys),
    );
  return chosen.length === 0
    ? problem('no item is left', 'exclude less, or raise --limit')
    : ok(chosen);
}

/** The patterns of a flag, with how many keys each matches. */
function patternsOf(
  flag: string,
  patterns: readonly string[],
  keys: ReadonlyMap<string, number>,
): Result<CountedPattern[], ItemListProblem> {
  const found: CountedPattern[] = [];
  for (const pattern of patterns) {
    const matches = keyMatch(pattern, keys);
    if (!matches.ok) return problem(`${flag} ${shortened(pattern)} ${matches.error}`, patternHint);
    found.push({ pattern, matches: matches.value, hits: 0 });
  }
  return ok(found);
}

const problem = (message: string, hint: string): Result<never, ItemListProblem> =>
  err({ code: 'SL505', message, hint });

const patternHint = 'write a key, or a pattern such as "*.jpg"';

/** A pattern, shortened for a message. */
const shortened = (pattern: string): string =>
  pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern;

/** A pattern that equals a key selects that item alone. Any other pattern is a glob. */
function keyMatch(pattern: string, keys: ReadonlyMap<string, number>): Result<Match, string> {
  return keys.has(pattern) ? ok((key) => key === pattern) : matchOf(pattern, { dot: true });
}

const maxCompared = 2000;

/** Examples of keys, for a pattern that matches none. */
function likeKeys(pattern: string, keys: ReadonlyMap<string, number>): string {
  const some = [...keys.keys()].slice(0, maxCompared);
  const shown = some.slice(0, 3).map((key) => JSON.stringify(key));
  const near = suggestion(pattern, some);
  const looks = `keys look like ${shown.join(', ')}${keys.size > 3 ? `, … (${grouped(keys.size)} in all)` : ''}`;
  return near === undefined ? looks : `${near} ${looks[0]?.toUpperCase() ?? ''}${looks.slice(1)}`;
}
