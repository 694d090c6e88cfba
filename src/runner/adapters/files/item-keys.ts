// Goes through all items of a source once: with each combination of the matrix, without those that `when:` leaves out.
// Each key must be there only once.
import type { JsonObject } from '../../../contract/base/json.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { type ExpressionError, toCel } from '../../language/expression.ts';
import { expressionRemedy } from '../../language/expression-remedy.ts';
import type { Items } from '../../language/items.ts';
import { type Combination, combinationsOf, dependsOnItem } from '../../task/combinations.ts';
import type { Cell, Item } from '../../task/item.ts';
import type { ItemListProblem, ItemSource, ListContext } from './item-source.ts';

export type ManyItems = Exclude<Items, { readonly kind: 'one' }>;

const mostProblems = 100;
const textColumn = '; a column is text unless items.types says otherwise';
const neither = { code: 'SL311', message: 'the result is not true or false' } as const;

/** The items of a source, each with its number: that of the file or row, times the combinations, plus the combination. */
export class ItemKeys {
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
        ...{ code, message: sentence + where, hint: remedy },
        ...(span === undefined ? {} : { span }),
      });
      return false;
    };
    for (let row = 0; row < this.#source.count && problems.length < mostProblems; row++) {
      const base = this.#named(row);
      const combinations = this.#combinationsFor(base.fields);
      const count = combinations?.length ?? 1;
      for (let at = 0; at < count && problems.length < mostProblems; at++) {
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
  ...{ file, span, excerpt },
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
