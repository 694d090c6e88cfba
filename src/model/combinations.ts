// The combinations of a matrix, by the rules of GitHub Actions: the product of the lists, without `exclude`, then
// `include`.
import type { JsonObject } from '../base/json.ts';
import { type Matrix, type MatrixRule, type Scalar, sameScalar } from '../language/items.ts';

export interface Combination {
  /** The last part of an item's key, such as `oil/large`. */
  readonly key: string;
  /** The value of `matrix` in expressions. */
  readonly values: Readonly<Record<string, Scalar>>;
}

/** True if the combinations depend on the item: a rule has a condition such as `item.stem: shoe`. */
export const dependsOnItem = ({ include, exclude }: Matrix): boolean =>
  [...include, ...exclude].some(({ item }) => Object.keys(item).length > 0);

/** In the order of the file; the first list varies slowest. `fields`: the item's. */
export function combinationsOf(matrix: Matrix, fields: JsonObject = {}): readonly Combination[] {
  const { variables } = matrix;
  const applies = ({ item }: MatrixRule): boolean => hasAll(fields, item);
  const exclude = matrix.exclude.filter(applies);
  const originals = productOf(variables).filter(
    (values) => !exclude.some((rule) => hasAll(values, rule.values)),
  );
  const combined = originals.map((values) => ({ ...values }));
  const added: Record<string, Scalar>[] = [];
  const own = new Set(variables.map(([name]) => name));
  for (const { values } of matrix.include.filter(applies)) {
    const names = Object.keys(values).filter((name) => own.has(name));
    const fixed = Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
    // Only the lists' own values decide; a value that an earlier entry added may be replaced.
    const fitting = combined.filter((_, index) => hasAll(originals[index] ?? {}, fixed));
    for (const one of fitting) Object.assign(one, values);
    if (fitting.length === 0) added.push({ ...values });
  }
  return [...combined, ...added].map((values) => ({ key: keyOf(values, own), values }));
}

function productOf(variables: Matrix['variables']): readonly Readonly<Record<string, Scalar>>[] {
  if (variables.length === 0) return [];
  return variables.reduce<readonly Readonly<Record<string, Scalar>>[]>(
    (product, [name, values]) =>
      product.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}

/** An entry with `key` names itself; else the values of the lists name a combination; else all of its values. */
function keyOf(values: Readonly<Record<string, Scalar>>, own: ReadonlySet<string>): string {
  const { key } = values;
  if (key !== undefined) return String(key);
  const listed = [...own].filter((name) => name in values);
  const named = listed.length > 0 ? listed : Object.keys(values);
  return named.map((name) => String(values[name])).join('/');
}

function hasAll(values: JsonObject, wanted: Readonly<Record<string, Scalar>>): boolean {
  return Object.entries(wanted).every(([name, value]) => {
    const has = values[name];
    return isScalar(has) && sameScalar(has, value);
  });
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
