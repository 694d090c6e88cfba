// Expressions: what they see, what they come to, what they cannot reach, and where they say they went wrong.
import { describe, expect, test } from 'vitest';
import { asJson, type Json } from '../../src/base/json.ts';
import { parseExpression, type Scope, toCel } from '../../src/language/expression.ts';

const scope: Scope = {
  item: toCel({ n: 3, half: 0.5, path: 'a.png', list: [1, 2], on: true, none: null }),
  inputs: {},
  env: { USER: 'ada' },
  steps: toCel({
    faces: { faces: [{ path: 'x' }, { path: 'y' }] },
    'photo-file': { path: 'out.png' },
  }),
  run: { date: '2026-08-05' },
};

function value(text: string, from: Scope = scope): Json {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  const result = parsed.value.evaluate(from);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** The part of the text that an error points at. */
function blamed(text: string): string {
  const parsed = parseExpression(text);
  const result = parsed.ok ? parsed.value.evaluate(scope) : parsed;
  if (result.ok) throw new Error(`${text} is fine`);
  return text.slice(result.error.start, result.error.end);
}

describe('an expression comes to', () => {
  test.each<readonly [string, Json]>([
    ['item.path', 'a.png'],
    ['item["path"]', 'a.png'],
    ['item.n + 1', 4],
    ['item.n / 2', 1],
    ['item.half * 3.0', 1.5],
    ['item.list', [1, 2]],
    ['item.list[0]', 1],
    ['item.list.map(x, x * 10)', [10, 20]],
    ['size(steps.faces.faces) > 0', true],
    ['steps["photo-file"].path', 'out.png'],
    ['item.n > 2 ? "many" : "few"', 'many'],
    ['item.none', null],
    ['has(item.missing)', false],
    ['"by " + env.USER + " on " + run.date', 'by ada on 2026-08-05'],
    [
      'steps.faces.faces.map(f, {"original_face": f.path, "new_face": item.path})',
      [
        { original_face: 'x', new_face: 'a.png' },
        { original_face: 'y', new_face: 'a.png' },
      ],
    ],
    ['[1, "a", true]', [1, 'a', true]],
    ['{1: "one"}', { '1': 'one' }],
  ])('%s', (text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  test('the same every time, and never changes what it saw', () => {
    const before = JSON.stringify(scope.item, (_, one) =>
      typeof one === 'bigint' ? Number(one) : asJson(one),
    );
    expect(value('item.list.map(x, x + 1)')).toEqual(value('item.list.map(x, x + 1)'));
    expect(
      JSON.stringify(scope.item, (_, one) => (typeof one === 'bigint' ? Number(one) : asJson(one))),
    ).toBe(before);
  });
});

describe('an expression cannot reach', () => {
  test.each([
    'item.constructor',
    'item.__proto__',
    'item.toString',
    'item["constructor"]',
    'env.hasOwnProperty',
    'steps.faces.constructor',
  ])('the prototype: %s', (text) => {
    expect(() => value(text)).toThrow('there is no "');
  });

  test.each(['process', 'globalThis', 'require("fs")', 'module'])(
    'anything of the program: %s',
    (text) => {
      expect(parseExpression(text).ok).toBe(false);
    },
  );

  test('a prototype through a map literal', () => {
    expect(value('{"__proto__": {"polluted": true}}')).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('an expression fails', () => {
  test.each([
    ['item.path + missing', 'missing'],
    ['"a" + 1', '"a" + 1'],
    ['1 + (2 * )', ')'],
    ['item.path == item.missing', 'missing'],
    ['[1,2][5]', '[1,2][5]'],
  ])('%s, and points at %s', (text, part) => {
    expect(blamed(text)).toBe(part);
  });

  test.each([
    'b"abc"',
    '1.0 / 0.0',
    'timestamp("2024-01-01T00:00:00Z")',
    'duration("1s")',
    'type(1)',
  ])('where JSON has no such value: %s', (text) => {
    expect(() => value(text)).toThrow('JSON cannot represent');
  });

  test('an empty one too', () => {
    expect(parseExpression('').ok).toBe(false);
  });
});

describe('the references of an expression', () => {
  const referencesOf = (text: string) => {
    const parsed = parseExpression(text);
    if (!parsed.ok) throw new Error(parsed.error.message);
    return parsed.value.references.map(({ root, key, field }) => [root, key, field]);
  };

  test('are its chains from a root, dotted or bracketed', () => {
    expect(
      referencesOf('steps.photo.file_path + steps["photo-file"].path + item.path + env.USER'),
    ).toEqual([
      ['steps', 'photo', 'file_path'],
      ['steps', 'photo-file', 'path'],
      ['item', 'path', undefined],
      ['env', 'USER', undefined],
    ]);
  });

  test('are found inside calls, macros, conditions and literals', () => {
    expect(
      referencesOf('has(steps.a.x) ? [item.p] : steps.b.list.map(f, {"k": f.z + inputs.q})'),
    ).toEqual([
      ['steps', 'a', 'x'],
      ['item', 'p', undefined],
      ['steps', 'b', 'list'],
      ['inputs', 'q', undefined],
    ]);
  });

  test('know the whole root where the key is computed', () => {
    expect(referencesOf('steps[item.which].path')).toEqual([
      ['steps', undefined, undefined],
      ['item', 'which', undefined],
    ]);
  });
});
