import { expect, test } from 'vitest';
import { parseExpression } from '../../src/language/expression.ts';

const scope = {
  item: { text: 'a', n: 3n, list: [1n] },
  inputs: {},
  env: {},
  steps: {},
  run: {},
};

/** What is said of an expression that cannot be read, or has no value. */
function said(text: string): string {
  const parsed = parseExpression(text);
  if (!parsed.ok) return parsed.error.message;
  const value = parsed.value.evaluate(scope);
  return value.ok ? 'nothing' : value.error.message;
}

test.each([
  ['', 'the expression is empty'],
  ['item.text +', 'the expression ends too early'],
  ['(item.n', '")" is missing at the end'],
  ['item.text ?? "x"', '"?" is not expected here'],
  ['item.text | upper', '"|" is not expected here'],
  ['item..text', 'a name is expected here, not "."'],
  ["'abc", 'the text has no closing quotation mark'],
  ['if', '"if" is a reserved word of expressions'],
  ['itme.text', 'there is no "itme"'],
  ['photo.path', 'there is no "photo"'],
  ['item.txt', 'there is no "txt"'],
  ['item.list[5]', 'there is no entry 5: the list has 1, counted from 0'],
  ['shout(item.text)', 'there is no function "shout"'],
  ['item.text.startWith("a")', 'there is no function "startWith"'],
  ['item.n.take(2)', 'take() does not work with (int)'],
  ['item.list.take(-1)', 'take(-1): the count must not be negative'],
  ['item.text + 1', '"+" does not work between a string and an int'],
  ['!item.text', '"!" does not work on a string'],
  ['int(item.text)', 'int() cannot convert this value'],
  ['item.text && true', '"&&" and "||" need true or false on both sides, not a string'],
  ['duration("5m")', 'the result has a type that JSON cannot represent: convert it with string()'],
])('%s: %s', (text, words) => {
  expect(said(text)).toBe(words);
});

test.each([
  ['itme.text', 'did you mean "item"?'],
  [
    'photo.path',
    'names begin with item, matrix, inputs, env, steps, run, result, each; put a text in quotation marks',
  ],
  ['item.text.startWith("a")', 'did you mean startsWith(), as in "draft-1".startsWith("draft")?'],
  ['item.text.toUpperCase()', 'did you mean upperAscii(), as in "de".upperAscii()?'],
  ['item.text + 1', 'convert one with string(), int() or double()'],
])('%s: what to do is %s', (text, remedy) => {
  const parsed = parseExpression(text);
  const value = parsed.ok ? parsed.value.evaluate(scope) : parsed;
  expect(value.ok ? undefined : value.error.hint).toBe(remedy);
});
