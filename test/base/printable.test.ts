// What of a text reaches a terminal.
import { describe, expect, test } from 'vitest';
import { printable, printableJson } from '../../src/base/printable.ts';

describe('a text of one line', () => {
  test.each([
    ['a\nb\tc\rd', 'a\\nb\\tc\\rd'],
    ['\u001b[2J', '\\u{1b}[2J'],
    ['\u009b31m', '\\u{9b}31m'],
    ['\u0000\u007f', '\\u{0}\\u{7f}'],
    ['photo\u202egpj.exe', 'photo\\u{202e}gpj.exe'],
    ['a\u2066b\u2069\u200e\u200f\u061c', 'a\\u{2066}b\\u{2069}\\u{200e}\\u{200f}\\u{61c}'],
    ['a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
    ['zero\u200bwidth\ufeff', 'zero\\u{200b}width\\u{feff}'],
    ['half \ud83d', 'half \\u{d83d}'],
    ['tag \u{e0041}', 'tag \\u{e0041}'],
  ])('%j is shown as %s', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test.each(['Größe 😀 ñ 日本 שלום.png', '👩‍👩‍👧 ❤️', 'back\\slash', '~/x', ''])(
    '%j stays as it is',
    (text) => {
      expect(printable(text)).toBe(text);
      expect(printableJson(JSON.stringify(text))).toBe(JSON.stringify(text));
    },
  );

  test('is the same when it is shown twice', () => {
    const once = printable('a\n\u202e\u001b');
    expect(printable(once)).toBe(once);
  });
});

test('a text of several lines keeps its lines, its tabs and its columns', () => {
  const text = 'a\n\tb\u001b\u202e\u{e0041}c';
  expect(printable(text, true)).toBe('a\n\tb\ufffd\ufffd\ufffd\ufffdc');
  expect(printable(text, true)).toHaveLength(text.length);
});

test('JSON means the same, and has no unsafe character in it', () => {
  const value = { name: 'a\u009b\u202e\u2028\u{e0041}\u007f\ufeffb' };
  const shown = printableJson(JSON.stringify(value));
  expect(shown).toBe('{"name":"a\\u009b\\u202e\\u2028\\udb40\\udc41\\u007f\\ufeffb"}');
  expect(JSON.parse(shown)).toEqual(value);
});
