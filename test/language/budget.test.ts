// Expressions end: whatever a stranger writes, an evaluation has a budget of steps and of size.
import { describe, expect, test } from 'vitest';
import { maxSize, maxSteps } from '../../src/language/evaluation-budget.ts';
import { parseExpression, type Scope, toCel } from '../../src/language/expression.ts';
import { fill } from '../../src/language/template.ts';
import { conditionHolds } from '../../src/model/condition.ts';
import { pipelineOf, stepOf, withSteps } from './check.ts';

const scope: Scope = {
  item: toCel({
    list: Array.from({ length: 10 }, (_, index) => index),
    a: `${'a'.repeat(40)}!`,
    long: 'a'.repeat(20_000),
  }),
  inputs: {},
  env: {},
  steps: {},
  run: {},
};

/** What an expression comes to, or the message that it fails with. */
function outcome(text: string): unknown {
  const parsed = parseExpression(text);
  if (!parsed.ok) return parsed.error.message;
  const result = parsed.value.evaluate(scope);
  return result.ok ? result.value : result.error.message;
}

const nested = (depth: number, list = 'item.list', leaf = '1'): string =>
  depth === 0 ? leaf : `${list}.map(x${depth}, ${nested(depth - 1, list, leaf)})`;
const letters = 'abcdefghijklmnopqrstuvwxyz';
/** `cel.bind(a, first, cel.bind(b, a+a, … last))`: as many doublings as letters. */
const doubled = (first: string, twice: (name: string) => string, last = 'z'): string =>
  Array.from(letters).reduceRight(
    (inner, name, index) =>
      `cel.bind(${name}, ${index === 0 ? first : twice(letters[index - 1] ?? '')}, ${inner})`,
    last,
  );

const tooLong = `the expression takes too long (over ${maxSteps.toLocaleString('en-US')} steps)`;
const tooLarge = `the expression creates a value that is too large (over ${maxSize.toLocaleString('en-US')} characters and elements)`;

describe('an expression ends', () => {
  test.each(['(a+)+$', '^(a|a)*$', '(a|aa)+$', '^([a-zA-Z]+)*$', '(.*a){25}b'])(
    'with a pattern that makes others backtrack: %s',
    (pattern) => {
      expect(outcome(`item.a.matches("${pattern}")`)).toBe(false);
    },
  );

  test.each([
    ['nested maps', nested(10)],
    ['nested quantifiers', `${'item.list.all(x, '.repeat(10)}x >= 0${')'.repeat(10)}`],
    ['nested filters', `${'item.list.filter(x, size('.repeat(10)}item.list${') > 0)'.repeat(10)}`],
    ['an error that a quantifier would swallow', `${nested(10)}.exists(x, true) || true`],
    ['an error that an or would swallow', `size(${nested(10)}) > 0 || true`],
    ['the deep comparison of two trees', doubled('[1]', (n) => `[${n}, ${n}]`, '[z] == [z + []]')],
    ['a pattern of many words', 'item.long.matches("(\\\\pL{900})x")'],
    ['a search for a long text', 'item.list.map(x, item.long.contains(item.long + "b"))'],
    ['a duration of many digits', 'duration(item.long) == duration("1s")'],
    ['many time zones', `${nested(4, 'item.list', 'timestamp(0).getHours("Asia/Tokyo")')}`],
  ])('with %s, in an error', (_, text) => {
    expect([tooLong, tooLarge]).toContain(outcome(text));
  });

  test.each([
    ['a text that doubles', doubled('"ab"', (n) => `${n} + ${n}`)],
    ['a list that doubles', doubled('[1]', (n) => `${n} + ${n}`)],
    ['a tree that doubles', doubled('[1]', (n) => `[${n}, ${n}]`)],
    ['a map that doubles', doubled('[1]', (n) => `{"l": ${n}, "r": ${n}}`)],
    [
      'a text that grows in a map',
      'item.list.map(x, item.list.map(y, item.list.map(z, item.long)))',
    ],
    [
      'a long text between many',
      'item.list.map(x, "a").join(item.long + item.long + item.long + item.long + item.long + item.long)',
    ],
  ])('with %s, in an error', (_, text) => {
    expect([tooLong, tooLarge]).toContain(outcome(text));
  });

  test.each([
    ['too many repetitions', '(abcdefghijklmnopqrstuvwxyz){1000}', 'repeats too much'],
    ['too many characters', 'a'.repeat(1001), 'longer than 1,000 characters'],
    ['a look-ahead', 'a(?=b)', 'does not support look-around and back-references'],
    ['a back-reference', '(a)\\\\1', 'does not support look-around and back-references'],
    ['a group that does not close', '(a', 'missing closing )'],
  ])('before it begins, with a pattern that has %s', (_, pattern, said) => {
    const text = `item.a.matches("${pattern}")`;
    const parsed = parseExpression(text);
    expect(parsed.ok ? '' : parsed.error.message).toContain(said);
    expect(parsed.ok ? '' : text.slice(parsed.error.start, parsed.error.end)).toBe(`"${pattern}"`);
  });

  test.each([
    ['a chain', `1${' + 1'.repeat(40_000)}`],
    ['brackets', `${'('.repeat(5000)}1${')'.repeat(5000)}`],
  ])('with %s that is nested too deeply, in an error', (_, text) => {
    expect(outcome(text)).toMatch(/nested too deeply|too many parts/);
  });
});

describe('what is usual stays far below the budget', () => {
  test.each([
    ['item.a.matches("^a+!$")', true],
    ['item.a.matches("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}$")', false],
    ['item.list.map(x, item.list.map(y, x * y).size()).size()', 10],
    ['item.list.map(x, string(x)).join(", ")', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9'],
    ['size(item.long)', 20_000],
  ])('%s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  test('and each evaluation has a budget of its own', () => {
    const parsed = parseExpression(nested(4));
    if (!parsed.ok) throw new Error(parsed.error.message);
    for (let time = 0; time < 5; time++) expect(parsed.value.evaluate(scope).ok).toBe(true);
  });
});

describe('the place of an expression without end', () => {
  const slow = `json(${nested(10, '[1,2,3,4,5,6,7,8,9,10]')})`;

  test('is its own in with:', () => {
    const pipeline = pipelineOf(
      withSteps(`a: { uses: upload, with: { file: '\${{ ${slow} }}' } }`),
    );
    const filled = fill(stepOf(pipeline, 'a').with, scope);
    expect(filled).toMatchObject({
      ok: false,
      error: { message: tooLong, path: ['steps', 'a', 'with', 'file'], text: slow },
    });
  });

  test('is its own in if:', () => {
    const pipeline = pipelineOf(
      withSteps(`a: { uses: upload, if: 'size(${slow}) > 0', with: { file: a.png } }`),
    );
    expect(conditionHolds(stepOf(pipeline, 'a'), scope)).toMatchObject({
      ok: false,
      error: { message: tooLong, path: ['steps', 'a', 'if'] },
    });
  });
});

describe('take', () => {
  test.each([
    ['item.list.take(3)', [0, 1, 2]],
    ['item.list.take(0)', []],
    ['item.list.take(99)', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['item.list.take(2).map(x, x + 1)', [1, 2]],
    ['["a"].take(1)', ['a']],
  ])('%s', (text, expected) => {
    expect(outcome(text)).toEqual(expected);
  });

  test('a negative count is an error at the call', () => {
    const text = '[item.list.take(-1)]';
    const parsed = parseExpression(text);
    const result = parsed.ok ? parsed.value.evaluate(scope) : parsed;
    if (result.ok) throw new Error('it passed');
    expect(result.error.message).toBe('take(-1): the count must not be negative');
    expect(text.slice(result.error.start, result.error.end)).toBe('item.list.take(-1)');
  });

  test('a count that is no whole number is an error', () => {
    expect(outcome('item.list.take("2")')).toContain('take');
  });
});
