// Values with ${{ expressions }} in them: compiled once, filled in wholly or as far as is known.
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { type Scope, toCel } from '../../src/language/expression.ts';
import {
  compileExpression,
  compileTemplate,
  expressionsOf,
  fill,
  type Template,
  type TemplateError,
} from '../../src/language/template.ts';

const scope: Scope = {
  item: toCel({ stem: 'rose', n: 2, list: ['a', 'b'], map: { k: 1 } }),
  inputs: {},
  env: {},
  steps: {},
  run: {},
};

function compiled(value: Json): Template {
  const errors: TemplateError[] = [];
  const template = compileTemplate(value, ['with'], errors);
  if (errors.length > 0) throw new Error(errors[0]?.message);
  return template;
}

function filled(value: Json): Json {
  const result = fill(compiled(value), scope);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

describe('filling in', () => {
  test.each<readonly [Json, Json]>([
    ['plain', 'plain'],
    [3, 3],
    [null, null],
    ['${{ item.n }}', 2],
    ['  ${{ item.n }}', '  2'],
    ['${{ item.n }}\n', 2],
    ['${{ item.list }}', ['a', 'b']],
    ['${{ item.stem }}.png', 'rose.png'],
    ['${{ item.stem }}-${{ item.n }}', 'rose-2'],
    ['${{ item.stem }} ${{ item.n }} ', 'rose 2 '],
    ['a $ { b } {{ c }}', 'a $ { b } {{ c }}'],
    ['${{ "}}" }}', '}}'],
    ["${{ r'\\}}' + '\\'}}' }}", "\\}}'}}"],
    ['${{ {"a": {"b": item.n}} }}', { a: { b: 2 } }],
    ['${{ {"a": {"b": item.n}}}}', { a: { b: 2 } }],
    [{ a: ['${{ item.n }}', { b: '${{ item.stem }}' }] }, { a: [2, { b: 'rose' }] }],
  ])('%j gives %j', (value, expected) => {
    expect(filled(value)).toEqual(expected);
  });

  test('a list inside a text fails, at its expression', () => {
    const result = fill(compiled({ to: 'x-${{ item.list }}' }), scope);
    expect(result).toMatchObject({
      ok: false,
      error: { path: ['with', 'to'], text: 'item.list', start: 0, end: 9 },
    });
  });

  test('the first expression that fails ends it, with its path and its text', () => {
    const result = fill(compiled({ a: ['ok', '${{ item.gone }}'], b: '${{ item.lost }}' }), scope);
    expect(result).toMatchObject({
      ok: false,
      error: { path: ['with', 'a', 1], text: 'item.gone' },
    });
  });
});

describe('compiling', () => {
  test('collects every error, with the path of each', () => {
    const errors: TemplateError[] = [];
    compileTemplate(
      { a: '${{ 1 + }}', b: [{ c: '${{ nobody }}' }], d: '${{ item.n' },
      ['with'],
      errors,
    );
    expect(errors.map(({ path }) => path)).toEqual([
      ['with', 'a'],
      ['with', 'b', 0, 'c'],
      ['with', 'd'],
    ]);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('ends too early'),
      expect.stringContaining('nobody'),
      expect.stringContaining('has no }}'),
    ]);
  });

  test('finds the expressions of a value with their places', () => {
    const found = expressionsOf(
      compiled({ a: '${{ item.n }}', b: ['x${{ item.stem }}${{ item.n }}'] }),
    );
    expect(found.map(({ path, expression }) => [path.join('.'), expression.text])).toEqual([
      ['with.a', 'item.n'],
      ['with.b.0', 'item.stem'],
      ['with.b.0', 'item.n'],
    ]);
  });

  test('an if: may leave its ${{ }} out', () => {
    const errors: TemplateError[] = [];
    for (const raw of ['item.n > 1', '${{ item.n > 1 }}', '  ${{item.n > 1}}  '])
      expect(compileExpression(raw, ['if'], errors)?.evaluate(scope)).toEqual({
        ok: true,
        value: true,
      });
    expect(errors).toEqual([]);
  });
});
