// The combinations of a matrix, as GitHub Actions makes them.
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { matrixOf } from '../../src/language/items.ts';
import { combinationsOf, dependsOnItem } from '../../src/model/combinations.ts';

const keys = (matrix: Json, fields?: JsonObject): readonly string[] =>
  combinationsOf(matrixOf(matrix), fields).map(({ key }) => key);
const values = (matrix: Json): readonly JsonObject[] =>
  combinationsOf(matrixOf(matrix)).map((one) => one.values);

describe('a matrix', () => {
  test('is the product of its lists; the first one varies slowest', () => {
    expect(keys({ style: ['oil', 'ink'], size: [1, 2.5], big: [true] })).toEqual([
      ...['oil/1/true', 'oil/2.5/true', 'ink/1/true', 'ink/2.5/true'],
    ]);
  });

  test('leaves out what an entry of exclude matches in all its values', () => {
    const matrix: JsonObject = {
      style: ['oil', 'ink'],
      size: [1, 2],
      exclude: [{ style: 'oil', size: '2' }, { style: 'ink' }],
    };
    expect(keys(matrix)).toEqual(['oil/1']);
  });

  test('adds include as the example in the documentation of GitHub Actions does', () => {
    const include: readonly JsonObject[] = [
      { color: 'green' },
      { color: 'pink', animal: 'cat' },
      { fruit: 'apple', shape: 'circle' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ];
    expect(values({ fruit: ['apple', 'pear'], animal: ['cat', 'dog'], include })).toEqual([
      { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
      { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
      { fruit: 'pear', animal: 'cat', color: 'pink' },
      { fruit: 'pear', animal: 'dog', color: 'green' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ]);
  });

  test('of include alone has its entries, which exclude does not touch', () => {
    const include = [
      { site: 'production', region: 'eu' },
      { site: 'staging', region: 'us' },
    ];
    expect(keys({ include })).toEqual(['production/eu', 'staging/us']);
    expect(
      keys({ style: ['oil'], include: [{ style: 'ink' }], exclude: [{ style: 'oil' }] }),
    ).toEqual(['ink']);
  });

  test('names combinations by its lists, not by what include adds, unless an entry has a key', () => {
    const include: readonly JsonObject[] = [
      { style: 'oil', prompt: 'thick paint' },
      { style: 'gold', prompt: 'leaf' },
      { style: 'gold', prompt: 'dust', key: 'gold-dust' },
    ];
    expect(keys({ style: ['oil', 'ink'], include })).toEqual(['oil', 'ink', 'gold', 'gold-dust']);
  });
});

describe('a rule with item.<field>', () => {
  const matrix: JsonObject = {
    style: ['oil', 'neon'],
    exclude: [{ style: 'neon', 'item.stem': 'shoe' }, { 'item.zip': 1234 }],
    include: [{ style: 'gold', 'item.stem': 'ring' }],
  };

  test('is about those items only', () => {
    expect(keys(matrix, { stem: 'shoe' })).toEqual(['oil']);
    expect(keys(matrix, { stem: 'hat' })).toEqual(['oil', 'neon']);
    expect(keys(matrix, { stem: 'ring' })).toEqual(['oil', 'neon', 'gold']);
    expect(keys(matrix, { stem: 'ring', zip: '1234' })).toEqual(['gold']);
  });

  test('makes the combinations depend on the item', () => {
    expect(dependsOnItem(matrixOf(matrix))).toBe(true);
    expect(dependsOnItem(matrixOf({ style: ['oil'], exclude: [{ style: 'oil' }] }))).toBe(false);
  });
});
