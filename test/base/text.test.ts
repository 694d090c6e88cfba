// Words for people: numbers, times, tables.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { count, duration, folded, grouped, size, table } from '../../src/base/text.ts';

test('groups numbers as toLocaleString does', () => {
  const numbers = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double(), fc.constant(-1000));
  fc.assert(
    fc.property(numbers, (n) => grouped(n) === (n === 0 ? '0' : n.toLocaleString('en-US'))),
  );
});

describe('a count', () => {
  test.each([
    [0, '0 items'],
    [1, '1 item'],
    [2, '2 items'],
    [1_000_000, '1,000,000 items'],
  ])('of %i is "%s"', (n, expected) => {
    expect(count(n, 'item')).toBe(expected);
  });
});

describe('a time', () => {
  test.each([
    [0, '0.0 s'],
    [1234, '1.2 s'],
    [12_300, '12 s'],
    [119_000, '119 s'],
    [125_000, '2 min 5 s'],
    [7_500_000, '2 h 5 min'],
  ])('of %i ms is "%s"', (ms, expected) => {
    expect(duration(ms)).toBe(expected);
  });
});

describe('a table', () => {
  test('is as wide as its widest cells, with no white space at the ends', () => {
    expect(
      table([
        ['step', 'n'],
        ['a', '1000'],
      ]),
    ).toBe('  step  n\n  a     1000');
    expect(
      table(
        [
          ['step', 'n'],
          ['a', '1000'],
        ],
        [1],
      ),
    ).toBe('  step     n\n  a     1000');
  });

  test('of nothing is nothing', () => {
    expect(table([])).toBe('');
  });
});

describe('prose on a terminal', () => {
  test('goes on below, a little to the right, and no word is cut', () => {
    expect(folded('  one two three four\nfive', 12)).toBe('  one two\n    three\n    four\nfive');
    expect(folded('Time: about', 80)).toBe('Time: about');
    expect(folded('a-word-that-is-longer', 8)).toBe('a-word-that-is-longer');
  });
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [9_960, '10 kB'],
  [999_900, '1.0 MB'],
  [34_400_000, '34 MB'],
  [2_000_000_000_000_000, '2000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(size(bytes)).toBe(text);
});
