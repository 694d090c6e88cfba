// Whatever expression is written, it is refused with a place inside the text, or it comes to a value
// or an error; nothing throws, and the work has an end.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Expression, parseExpression, toCel } from '../../src/language/expression.ts';
import { expressionFunctions } from '../../src/language/functions/all.ts';
import { staticTypes } from '../../src/language/static-types.ts';
import { partOf } from '../sweep.ts';

const names = [
  'item',
  'item.n',
  'item.text',
  'item.list',
  'item.half',
  'inputs.n',
  'inputs.title',
  'run.date',
  'env.USER',
  'steps.photo.file_path',
  'steps.faces.faces',
  'steps["img-file"].path',
  'item.missing',
  'x',
  'nobody',
];

const scope = {
  item: toCel({ n: 3, text: 'a/b.png', list: [1, 'two', null, { a: 1 }], half: 0.5 }),
  inputs: toCel({ n: 2, title: 'T' }),
  env: { USER: 'ada' },
  steps: toCel({
    photo: { file_path: 'p' },
    faces: { faces: [{ path: 'x', url: 'y' }] },
    'img-file': { path: 'o' },
  }),
  run: toCel({ date: '2026-08-05', due: '', number: 1 }),
};

const schemas: Readonly<Record<string, object>> = {
  'item.n': { type: 'integer' },
  'item.text': { type: 'string' },
  'inputs.n': { type: 'number' },
  'inputs.title': { type: 'string' },
  'run.date': { type: 'string' },
  'env.USER': { type: 'string' },
};

/** Calls as the examples of the functions write them, with other values in place of their own. */
const calls = expressionFunctions.flatMap(({ signatures, name }) =>
  signatures.map((signature) => {
    const inner = /\((.*)\)/.exec(signature)?.[1] ?? '';
    const method = /^(?:string|list)[.<]/.test(signature) && !name.startsWith('math.');
    return { name, method, count: inner === '' ? 0 : inner.split(',').length };
  }),
);

const expressions = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom(...names),
    fc.constantFrom(
      '1',
      '-1',
      '0',
      '2.5',
      '1e308',
      '"a"',
      "'%Y'",
      'true',
      'null',
      '[]',
      '{}',
      'b"x"',
    ),
    fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '/', '%', '==', '<', '&&', '||', 'in', '?', '.', ' '),
        tie('expression'),
      )
      .map(([one, sign, other]) => `${one} ${sign} ${other}`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([one, two, three]) => `(${one} ? ${two} : ${three})`),
    fc
      .tuple(fc.constantFrom(...calls), fc.array(tie('expression'), { maxLength: 3 }), fc.boolean())
      .map(([{ name, method, count }, args, exact]) => {
        const [first = 'item', ...rest] = exact
          ? Array.from({ length: count + 1 }, (_, n) => args[n] ?? '"a"')
          : args;
        return method
          ? `${first}.${name}(${rest.join(', ')})`
          : `${name}(${[first, ...rest].slice(0, exact ? count : undefined).join(', ')})`;
      }),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('map', 'filter', 'all', 'exists'),
        tie('expression'),
      )
      .map(([list, macro, body]) => `${list}.${macro}(x, ${body})`),
    fc.tuple(tie('expression'), tie('expression')).map(([one, key]) => `${one}[${key}]`),
    fc.array(tie('expression'), { maxLength: 3 }).map((parts) => `[${parts.join(', ')}]`),
    tie('expression').map((value) => `{"k": ${value}}`),
  ),
})).expression;

function isInside(text: string, { start, end }: { start: number; end: number }): void {
  expect(start).toBeGreaterThanOrEqual(0);
  expect(start).toBeLessThanOrEqual(text.length);
  expect(end).toBeGreaterThanOrEqual(start);
  // An error at the end of the text points behind it.
  expect(end).toBeLessThanOrEqual(text.length + 1);
}

const typesOf = (expression: Expression) =>
  staticTypes(expression, ({ root, key }) => {
    const schema = schemas[`${root}.${key}`];
    return schema === undefined ? undefined : { schema: { ...schema }, parts: 2 };
  });

function answers(text: string): void {
  const parsed = parseExpression(text);
  if (!parsed.ok) {
    expect(parsed.error.message).not.toBe('');
    return isInside(text, parsed.error);
  }
  const types = typesOf(parsed.value);
  if (!types.ok) isInside(text, types.error);
  const first = parsed.value.evaluate(scope);
  if (!first.ok) isInside(text, first.error);
  // The same value every time.
  expect(parsed.value.evaluate(scope)).toEqual(first);
  // What is refused before the run would have failed in it.
  if (!types.ok && isDecisive(text))
    expect(first.ok, `${text}: ${types.error.message}`).toBe(false);
}

/** Without parts that an evaluation may leave out, and without comparisons, which are false for unlike types. */
const isDecisive = (text: string): boolean =>
  !/\?|&&|\|\||default|has|==|\bin\b|\.(map|filter|all|exists)\(/.test(text);

describe('an expression from the grammar', () => {
  test('is answered', () => {
    fc.assert(fc.property(expressions, answers), { seed: 7, numRuns: partOf(3000) });
  });

  test('is answered when characters are missing or added', () => {
    const edit = fc.tuple(
      fc.nat(200),
      fc.nat(3),
      fc.constantFrom('', '(', ')', '"', '.', '\\', '?', '}}', '\n'),
    );
    const torn = fc.tuple(expressions, edit).map(([text, [at, cut, put]]) => {
      const index = at % (text.length + 1);
      return text.slice(0, index) + put + text.slice(index + cut);
    });
    fc.assert(fc.property(torn, answers), { seed: 7, numRuns: partOf(1500) });
  });

  test('is answered when it is any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), answers), {
      seed: 7,
      numRuns: partOf(500),
    });
  });
});
