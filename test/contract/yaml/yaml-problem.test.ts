// What goes wrong with a file as YAML: one diagnostic, which names the cure.
import { describe, expect, test } from 'vitest';
import { marked, photo, problemsOf, withSteps } from '../../language/check.ts';

/** The only problem of a text in which the place where its place begins is marked. */
function only(text: string) {
  const { text: plain, span } = marked(text);
  const found = problemsOf(plain);
  expect(found.map(({ message }) => message)).toHaveLength(1);
  expect(found[0]).toMatchObject({
    severity: 'error',
    span: { line: span.line, column: span.column },
  });
  return found[0];
}

const deep = (levels: number): string => `a: ${'['.repeat(levels)}${']'.repeat(levels)}\n`;

describe('a file that git could not merge', () => {
  test.each([
    [
      'in its steps',
      `pipeline: p\nsteps:\n«»<<<<<<< HEAD\n  ${photo}\n=======\n  b: 1\n>>>>>>> other\n`,
      3,
    ],
    ['at its beginning', '«»<<<<<<< HEAD\npipeline: a\n=======\npipeline: b\n>>>>>>> other\n', 1],
    [
      'with Windows line ends',
      'pipeline: p\r\n«»<<<<<<< HEAD\r\na: 1\r\n=======\r\na: 2\r\n>>>>>>> x\r\n',
      2,
    ],
  ])('%s', (_, text, line) => {
    expect(only(text)).toMatchObject({
      message: `the file contains an unfinished git merge, at line ${line}`,
      hint: expect.stringContaining('edit the file'),
    });
  });
});

describe('several documents', () => {
  test.each(['---', '...'])('behind %s are one diagnostic', (mark) => {
    const found = problemsOf(`${withSteps(photo)}${mark}\nmore: 1\n`);
    expect(found).toMatchObject([
      { message: 'the file contains several YAML documents, but a pipeline is one document' },
    ]);
    expect(found[0]?.hint).toContain('remove the line');
  });

  test('are not meant by one mark at the beginning', () => {
    expect(problemsOf(`---\n${withSteps(photo)}`)).toEqual([]);
  });
});

describe('an entry inside brackets without a comma after it', () => {
  test.each([
    [
      'because its value contains one',
      'pipeline: p\nitems: { csv: a.csv, when: date(item.day, "%m"«») == "05" }\n',
    ],
    ['in an object', 'pipeline: p\nitems:\n  { csv: "a.csv"\n  «»key: name }\n'],
    ['in a list', 'pipeline: p\nenv: [ "A" «»"B" ]\n'],
  ])('%s', (_, text) => {
    expect(only(text)).toMatchObject({
      message: 'an entry inside { } or [ ] is not followed by a comma',
      hint: 'write a comma between entries; put a value that contains a comma in quotation marks, or on a line of its own',
    });
  });
});

describe('an expression without the quotes that it needs', () => {
  test.each([
    [
      'a conditional',
      'pipeline: p\nsteps:\n  a:\n    uses: upload\n    with:\n      file: «»${{ a ? b : c }}\n',
    ],
    ['a conditional in a list', 'pipeline: p\nitems:\n  values:\n    - «»${{ a ? b : c }}\n'],
    ['any in { }', withSteps('a: { uses: upload, with: { file: $«»{{ item.path }} } }')],
    [
      'any in [ ]',
      withSteps('a: { uses: upload, with: { file: a.png }, needs: [ $«»{{ item.path }} ] }'),
    ],
  ])('%s', (_, text) => {
    expect(only(text)).toMatchObject({
      message: expect.stringMatching(/^YAML cannot read this expression without quotes: \$\{\{ /),
      hint: 'quote it: "${{ … }}"',
    });
  });
});

describe('an expression with the quotation marks of the text around it', () => {
  test.each([
    ['double ones', 'file: "${{ item.stem + «"».png" }}"', 'put texts in single quotation marks'],
    ['single ones', "file: '${{ item.stem + «'».png' }}'", 'put texts in double quotation marks'],
  ])('%s', (_, field, hint) => {
    expect(only(withSteps(`a: { uses: upload, with: { ${field} } }`))).toMatchObject({
      code: 'SL023',
      message: 'a quotation mark in the expression ends the text that contains it',
      hint: expect.stringContaining(hint),
    });
  });
});

describe('values that cannot be read', () => {
  test.each([
    ['brackets without end', `a: ${'['.repeat(20_000)}`],
    ['brackets in brackets', deep(3000)],
    ['a little too many brackets', deep(120)],
    [
      'lists in lists',
      `a:\n${Array.from({ length: 300 }, (_, index) => `${' '.repeat(2 * index)}-\n`).join('')}`,
    ],
  ])('%s are nested too deeply', (_, text) => {
    const found = problemsOf(text);
    expect(found).toMatchObject([{ message: 'the YAML is nested too deeply' }]);
    expect(found[0]?.hint).toContain('brackets that are not closed');
  });

  test('aliases of aliases expand to too many values', () => {
    const lines = Array.from(
      { length: 10 },
      (_, index) =>
        `k${index}: &a${index} [${`${index === 0 ? '1' : `*a${index - 1}`},`.repeat(10)}]`,
    );
    expect(problemsOf(`${lines.join('\n')}\n`)).toMatchObject([
      {
        message: 'the aliases in the file expand to too many values',
        hint: 'write out the values, or use fewer aliases of aliases',
      },
    ]);
  });

  test('an anchor that holds itself says what is wrong', () => {
    expect(
      problemsOf(withSteps('a: { uses: upload, with: &w { file: x.png, more: *w } }')),
    ).toMatchObject([
      { message: 'an alias makes a value contain itself', hint: expect.stringContaining('anchor') },
    ]);
  });

  test.each([
    [
      'a YAML type',
      'a: !!binary «"AA=="»\n',
      'JSON cannot represent a value of the YAML type binary',
    ],
    ['no number', 'a: «.inf»\n', 'JSON cannot represent the number .inf'],
    ['half a character', 'a: «"\\ud800"»\n', 'half a surrogate pair'],
  ])('%s', (_, text, message) => {
    expect(only(text)?.message).toContain(message);
  });

  test('a character as two escapes is one character', () => {
    expect(
      problemsOf(withSteps('a: { uses: upload, with: { file: "\\ud83d\\ude00.png" } }')),
    ).toEqual([]);
  });
});

describe('a file without a pipeline', () => {
  test.each([
    ['', 'the file is empty'],
    [' \n\n', 'the file is empty'],
    ['# only a comment\n', 'the file contains only comments'],
  ])('%j', (text, message) => {
    expect(problemsOf(text)).toMatchObject([
      { message, hint: 'a pipeline needs at least pipeline: (its name) and steps:' },
    ]);
  });
});

test('values that JSON cannot represent, and aliases without an anchor, are all told', () => {
  const text = 'pipeline: p\na: .inf\nb: [*x, .nan]\nc: !!binary "AA=="\nb: 1\n';
  expect(problemsOf(text).map(({ code, span }) => [span?.line, code])).toEqual([
    [2, 'SL018'],
    [3, 'SL015'],
    [3, 'SL018'],
    [4, 'SL018'],
    [5, 'SL013'],
  ]);
});

test('keys that stand twice are all told', () => {
  const text = 'pipeline: p\na: 1\na: 2\nb: 1\nb: 2\na: 3\n';
  expect(problemsOf(text).map(({ message, span }) => [span?.line, message])).toEqual([
    [3, 'the key "a" appears twice'],
    [5, 'the key "b" appears twice'],
    [6, 'the key "a" appears twice'],
  ]);
});

test.each([
  [
    'keys that are not aligned',
    'pipeline: p\nsteps:\n    a: { uses: upload, with: { file: a.png } }\n  b: 1\n',
    'the indentation does not match the lines above',
    'by the same number of spaces',
  ],
  [
    'a value that begins with a reserved character',
    'pipeline: @p\nsteps: {}\n',
    'a value cannot begin with this character unless it is quoted',
    'in quotation marks',
  ],
  [
    'a tab',
    'pipeline: p\nsteps:\n\ta: 1\n',
    'the line is indented with a tab',
    'indent with spaces',
  ],
  [
    'two keys on one line',
    'pipeline: p: q\nsteps: {}\n',
    'the line has a second ": "',
    'in quotation marks',
  ],
  [
    'line ends of an old Mac',
    'pipeline: p\rsteps: {}\r',
    'the lines end with carriage returns only',
    'save the file with line feeds',
  ],
])('%s: a sentence and its cure', (_, text, message, cure) => {
  const [first] = problemsOf(text);
  expect(first?.message).toContain(message);
  expect(first?.hint).toContain(cure);
});
