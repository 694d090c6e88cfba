// What `items:` may say, and what is wrong with it before any file or table is read.
import { describe, expect, test } from 'vitest';
import { validate } from '../../src/language/validate.ts';
import { marked, pipelineOf, stepOf } from './check.ts';

const pipeline = (items: string, file = 'a.png'): string =>
  `pipeline: p\nitems: ${items}\nsteps:\n  photo: { uses: upload, with: { file: "${file}" } }\n`;

test.each<readonly [string, string, string] | readonly [string, string, string, string]>([
  [
    'two sources',
    pipeline('{ glob: a, «csv»: b.csv }'),
    'items must have exactly one of: glob, csv, jsonl, values',
    'it has glob and csv',
  ],
  [
    'no source',
    'pipeline: p\n«items»: { key: name }\nsteps:\n  photo: { uses: upload, with: { file: a.png } }\n',
    'items must have exactly one of: glob, csv, jsonl, values',
    'or only a matrix',
  ],
  [
    'a list of exclusions only',
    pipeline('{ glob: «["!a/*"]» }'),
    'items.glob only excludes files',
    'add a pattern',
  ],
  [
    'a pattern twice',
    pipeline('{ glob: [a/*, b/*, «a/*»] }'),
    'items.glob has the pattern "a/*" twice',
  ],
  [
    'types without a csv file',
    pipeline('{ jsonl: a.jsonl, «types»: { n: number } }'),
    'items.types is only for a csv file',
  ],
  [
    'a type that no column has',
    pipeline('{ csv: a.csv, types: { n: «int» } }'),
    'items.types.n must be one of string, number, boolean, not the text "int"',
  ],
  [
    'a key that is an expression',
    pipeline('{ csv: a.csv, key: «item.email» }'),
    'items.key is the name of a field, not an expression',
    'write key: email',
  ],
  [
    'a key that files do not have',
    pipeline('{ glob: "*.png", key: «stm» }'),
    'items.key: item has no "stm"',
    'did you mean "stem"?',
  ],
  [
    'a key for a matrix alone',
    pipeline('{ matrix: { style: [oil] }, key: «style» }'),
    'items.key is for glob, csv, jsonl and values',
  ],
  [
    'a condition on a step',
    pipeline('{ glob: "*.png", when: "«steps.photo.file_path» != item.stem" }'),
    'items.when is decided before any step runs, so steps is not known in it',
    'put the condition in if:',
  ],
  [
    'a condition on a field that files do not have',
    pipeline('{ glob: "*.png", when: "«item.with» > 10" }'),
    'item has no "with"',
    'did you mean "width"?',
  ],
  [
    'a condition on an input that is not declared',
    pipeline('{ glob: "*.png", when: «inputs.size» > 3 }'),
    'there is no input "size"',
  ],
  [
    'a condition that compares a number with a text',
    pipeline('{ glob: "*.png", when: «item.width > "100"» }'),
    '">" does not work between an int and a string',
    'convert one with',
  ],
  [
    'a condition that is neither true nor false',
    pipeline('{ glob: "*.png", when: «item.stem» }'),
    'items.when must be true or false, and the expression is a string',
    'compare it, for example item.stem != ""',
  ],
  [
    'a list of a matrix without a name',
    pipeline('{ matrix: { style: [oil], «1st»: [a] } }'),
    '"1st" cannot be the name of a list of a matrix',
  ],
  [
    'a condition that does not parse',
    pipeline('{ csv: a.csv, when: item.n >« »}'),
    'in the expression: the expression ends too early',
  ],
  [
    'a value of a matrix twice',
    pipeline('{ matrix: { style: [oil, ink, «oil»] } }'),
    'matrix.style has "oil" twice: also at 2:28',
  ],
  [
    'an exclusion of a value that is not there',
    pipeline('{ matrix: { style: [oil, ink], exclude: [{ style: «oli» }] } }'),
    'exclude: matrix.style has no "oli", so nothing is excluded',
    'did you mean "oil"?',
  ],
  [
    'an exclusion of a list that is not there',
    pipeline('{ matrix: { style: [oil], exclude: [{ «stile»: oil }] } }'),
    'exclude: the matrix has no list "stile"',
    'did you mean "style"?',
  ],
  [
    'an exclusion by a field that files do not have',
    pipeline(
      '{ glob: "*", matrix: { style: [oil], exclude: [{ style: oil, «item.stam»: shoe }] } }',
    ),
    'exclude: item has no "stam"',
    'did you mean "stem"?',
  ],
  [
    'a matrix that is too large',
    pipeline(
      `{ matrix: «{ a: [${Array.from({ length: 101 }, (_, n) => n).join(', ')}], b: [${Array.from({ length: 100 }, (_, n) => n).join(', ')}] }» }`,
    ),
    'the matrix has 10,100 combinations; at most 10,000 are allowed',
  ],
  [
    'a name that the matrix does not have',
    pipeline('{ matrix: { style: [oil], include: [{ size: 1 }] } }', '${{ «matrix.stile» }}.png'),
    'matrix has no "stile"',
    'did you mean "style"?',
  ],
  [
    'a matrix where there is none',
    pipeline('{ glob: "*.png" }', '${{ «matrix.style» }}.png'),
    'there is no matrix, because items: has none',
    'add one: items: { matrix:',
  ],
  [
    'a field of an item that only has a matrix',
    pipeline('{ matrix: { style: [oil] } }', '${{ «item.path» }}'),
    'item has no "path"',
  ],
])('%s', (_, text = '', message = '', hint = undefined) => {
  const { text: plain, span } = marked(text);
  const checked = validate('p.yaml', plain);
  const problems = checked.ok ? [] : checked.error;
  expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  expect(problems[0]?.span).toEqual(span);
  if (hint !== undefined) expect(problems[0]?.hint).toContain(hint);
});

describe('what is right', () => {
  test.each([
    '{ glob: [a/*, "!a/old/*"], matrix: { style: [oil] }, key: path, when: item.width > 100 }',
    '{ csv: a.csv, key: email, types: { n: number }, when: item.n > 3 && env.X == "y" }',
    '{ jsonl: a.jsonl, key: email, when: "${{ item.n > 3 }}" }',
    '{ values: [{ name: a }], key: name }',
    '{ matrix: { style: [oil], include: [{ style: ink, "item.index": 0 }] } }',
    '{ matrix: { include: [{ site: a }, { site: b }] } }',
  ])('%s', (items) => {
    const checked = validate('p.yaml', pipeline(items).replace('items:', 'env: [X]\nitems:'));
    expect(checked.ok ? [] : checked.error).toEqual([]);
  });

  test('a step that uses only the matrix belongs to the items', () => {
    const found = pipelineOf(pipeline('{ matrix: { n: [1, 2] } }', '${{ matrix.n }}.png'));
    expect(stepOf(found, 'photo').shared).toBe(false);
  });
});
