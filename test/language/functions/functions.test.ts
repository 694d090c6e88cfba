// The functions of expressions: each example of the reference, what a name may be, and what cannot
// be had.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { environment } from '../../../src/language/environment.ts';
import { maxSteps } from '../../../src/language/evaluation-budget.ts';
import { parseExpression, toCel } from '../../../src/language/expression.ts';
import { expressionFunctions } from '../../../src/language/functions/all.ts';
import { slug } from '../../../src/language/functions/file-functions.ts';
import { dateFields } from '../../../src/language/functions/text-functions.ts';
import { partOf } from '../../sweep.ts';

/** The item of the examples. */
const exampleItem = { name: 'Ada' };

/** The value of an expression, or the message that it fails with. */
function outcome(text: string, item: Json = exampleItem): Json {
  const parsed = parseExpression(text);
  if (!parsed.ok) return parsed.error.message;
  const scope = { item: toCel(item), inputs: {}, env: {}, steps: {}, run: {} };
  const result = parsed.value.evaluate(scope);
  return result.ok ? result.value : result.error.message;
}

describe('each function', () => {
  const examples = expressionFunctions.flatMap((one) => one.examples);

  test.each(examples)('%s is %j', (expression, value) => {
    expect(outcome(expression)).toEqual(value);
  });

  test.each(expressionFunctions.filter(({ overloads }) => overloads === undefined))(
    '$name has the signatures of the library',
    ({ name, signatures }) => {
      const known = environment.getDefinitions().functions.map(({ signature }) => signature);
      for (const signature of signatures) {
        // The library names the arguments of its macros by their place, and lists by their members.
        if (/\b(name|value)\b/.test(signature)) expect(known.join()).toContain(`${name}(ast`);
        else
          expect(
            known.map((one) =>
              one.replace(/list<dyn>|map<dyn, dyn>/g, (type) => type.slice(0, type.indexOf('<'))),
            ),
          ).toContain(signature);
      }
    },
  );

  test('is named once', () => {
    const names = expressionFunctions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('paths', () => {
  test.each([
    ['a', 'a', 'a', '', '.'],
    ['a.tar.gz', 'a.tar.gz', 'a.tar', 'gz', '.'],
    ['.hidden', '.hidden', '.hidden', '', '.'],
    ['a/b/', 'b', 'b', '', 'a'],
    ['/a.png', 'a.png', 'a', 'png', '/'],
    ['x/a.b/c', 'c', 'c', '', 'x/a.b'],
    ['', '', '', '', '.'],
  ])('%j', (path, basename, stem, ext, dirname) => {
    const text = JSON.stringify(path);
    expect([
      outcome(`basename(${text})`),
      outcome(`stem(${text})`),
      outcome(`ext(${text})`),
      outcome(`dirname(${text})`),
    ]).toEqual([basename, stem, ext, dirname]);
  });
});

describe('slug', () => {
  test.each([
    ['Hello, World!', 'hello-world'],
    ['Ünïcode Straße Łódź', 'unicode-strasse-lodz'],
    ['日本 太郎', '日本-太郎'],
    ['Йога и Ёлка', 'йога-и-ёлка'],
    ['がぎぐ', 'がぎぐ'],
    ['--a__b--', 'a-b'],
    ['../../etc/passwd', 'etc-passwd'],
    ['½ ①', '1-2-1'],
  ])('%j is %j', (text, expected) => {
    expect(slug(text)).toBe(expected);
  });

  test('is the same for a text in either Unicode form', () => {
    const text = 'Zoë が Й';
    expect(slug(text.normalize('NFD'))).toBe(slug(text.normalize('NFC')));
  });

  test.each(['', '🎂', '!!!', 'CON', 'lpt1'])('%j gets a mark of its own', (text) => {
    expect(slug(text)).toMatch(/^(x|con|lpt1)-[0-9a-f]{8}$/);
  });

  test('keeps long texts apart, whose beginnings are equal', () => {
    const long = 'a long title '.repeat(200);
    expect(slug(`${long}1`)).not.toBe(slug(`${long}2`));
  });

  test('is a safe part of a file name, whatever the text is', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 150 }),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const name = slug(text);
        expect(name).toMatch(/^[\p{L}\p{N}]/u);
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}-]+$/u);
        expect(name.endsWith('-')).toBe(false);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100);
        expect(name.normalize('NFC')).toBe(name);
      }),
      { seed: 1, numRuns: partOf(150) },
    );
  });
});

describe('date', () => {
  test.each([
    ['2026-08-05', '%Y-%m-%d', '2026-08-05'],
    ['2026-08-05', '%y%m%d', '260805'],
    ['2026-08-05T07:30:09+02:00', '%H.%M.%S', '07.30.09'],
    ['2026-08-05', '100%%', '100%'],
    ['2024-12-31', '%j', '366'],
    // ISO weeks: a year begins with the week of its first Thursday.
    ['2024-12-30', '%G-W%V-%u', '2025-W01-1'],
    ['2021-01-03', '%G-W%V-%u', '2020-W53-7'],
    ['0099-01-01', '%Y', '0099'],
  ])('%s as %s is %s', (text, format, expected) => {
    expect(outcome(`date(${JSON.stringify(text)}, ${JSON.stringify(format)})`)).toBe(expected);
  });

  test.each([
    ['', '%Y', 'run.due is empty if no schedule started the run'],
    ['yesterday', '%Y', '"yesterday" is not a date such as 2026-08-05'],
    ['2026-02-30', '%Y', 'is not a date'],
    ['2026-08-05T25:00:00Z', '%H', 'is not a date'],
    ['2026-08-05', '%B', '"%B" is not part of a format; write %Y'],
    ['2026-08-05', '5%', '"%" is not part of a format'],
    ['2026-08-05', 'x'.repeat(101), 'longer than 100 characters'],
  ])('%j as %j is an error', (text, format, said) => {
    expect(outcome(`date(${JSON.stringify(text)}, ${JSON.stringify(format)})`)).toContain(said);
  });

  test('knows each letter that the reference lists', () => {
    for (const letter of Object.keys(dateFields))
      expect(outcome(`date("2026-08-05", "%${letter}")`)).toMatch(/^\d+$/);
  });
});

describe('pad', () => {
  test.each([
    ['pad(7, 3)', '007'],
    ['pad(1234, 3)', '1234'],
    ['pad(-7, 4)', '-007'],
    ['pad("7a", 4)', '007a'],
    ['pad(7, 0)', '7'],
    ['pad(7, -1)', 'pad(): the width must be from 0 to 100'],
    ['pad(7, 1000000)', 'pad(): the width must be from 0 to 100'],
  ])('%s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
});

describe('replace', () => {
  test.each([
    ['"aaa".replace("a", "bb")', 'bbbbbb'],
    ['"aaa".replace("a", "", 2)', 'a'],
    ['"aaa".replace("a", "b", 0)', 'aaa'],
    ['"aaa".replace("a", "b", -1)', 'bbb'],
    ['"abc".replace("", "-")', '-a-b-c-'],
    ['"abc".replace("", "-", 2)', '-a-bc'],
    ['"abc".replace("x", "y")', 'abc'],
    // Not a pattern: neither for the search nor for what is put there.
    ['"a.c".replace(".", "$&")', 'a$&c'],
  ])('%s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
});

describe('default', () => {
  const item = { empty: '', none: null, zero: 0, off: false, list: ['a'], title: 'x' };

  test.each([
    ['default(item.title, "y")', 'x'],
    ['default(item.missing, "y")', 'y'],
    ['default(item.missing.deeper, "y")', 'y'],
    ['default(item.empty, "y")', 'y'],
    ['default(item.none, "y")', 'y'],
    ['default(item.zero, 1)', 0],
    ['default(item.off, true)', false],
    ['default(item.list[3], "y")', 'y'],
    ['default(item.missing, default(item.empty, item.title))', 'x'],
    ['item.list.map(x, default(item[x], x))', ['a']],
  ])('%s', (text, expected) => {
    expect(outcome(text, item)).toEqual(expected);
  });

  test('hides no other error', () => {
    expect(outcome('default(item.title + item.zero, "y")', item)).toContain(
      'does not work between',
    );
    expect(outcome('default(date("x", "%Y"), "y")', item)).toContain('is not a date');
  });
});

describe('numbers', () => {
  test.each([
    ['math.round(-2.5)', -3],
    ['math.round(2)', 2],
    ['math.ceil(item.seconds)', 8],
    ['math.floor(item.seconds) + 1.0', 8],
    ['math.least(item.seconds, 30)', 7.25],
    ['math.greatest(1, 2.5, 2)', 2.5],
    ['math.least([3, 1, 2])', 1],
    ['math.least([])', 'math.least(): the list is empty'],
    ['math.round("2")', 'math.round() needs numbers, not "2"'],
  ])('%s', (text, expected) => {
    expect(outcome(text, { seconds: 7.25 })).toBe(expected);
  });
});

describe('lists', () => {
  test.each([
    ['[1, 2, 3].slice(0, 2)', [1, 2]],
    ['[1].slice(0, 2)', 'slice(0, 2): the list has the positions 0 to 1'],
    ['[1].slice(1, 0)', 'slice(1, 0): the list has the positions 0 to 1'],
    ['[[1], 2, [3, [4]]].flatten()', [1, 2, 3, [4]]],
    ['[{"a": 1}, {"a": 1}, {"a": 2}].distinct()', [{ a: 1 }, { a: 2 }]],
    ['item.list.take(1).map(x, x + 1)', [2]],
    ['item.list.distinct().size()', 2],
    ['item.list.slice(1, 2)[0] + 1', 2],
  ])('%s', (text, expected) => {
    expect(outcome(text, { list: [1, 1, 2] })).toEqual(expected);
  });
});

describe('every function is within the budget', () => {
  const item = { long: 'a-'.repeat(100_000), many: Array.from({ length: 1000 }, (_, n) => n) };

  test.each([
    'item.many.map(x, slug(item.long))',
    'item.many.map(x, basename(item.long))',
    'item.many.map(x, item.long.replace("a", "b"))',
    'item.long.replace("a", item.long)',
    'item.many.map(x, json(item.many))',
    'item.many.map(x, item.many.distinct())',
    'item.many.map(x, item.many.flatten())',
    'item.many.map(x, math.least(item.many))',
    'item.many.map(x, date("2026-08-05", item.long))',
    'default(item.many.map(x, slug(item.long)), 1)',
    'default(item.many.map(x, item.many.map(y, x)), 1)',
  ])('%s ends', (text) => {
    expect(outcome(text, item)).toMatch(
      new RegExp(`over ${maxSteps.toLocaleString('en-US')} steps|too large|the format is longer`),
    );
  });
});
