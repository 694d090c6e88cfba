// `fmt` has one layout, and changes no meaning.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CST, Parser } from 'yaml';
import { canonical } from '../../../src/base/json.ts';
import { format, stepKeys, topKeys } from '../../../src/language/format/format.ts';
import { pipelineShape } from '../../../src/language/schema.ts';
import { stepSchema } from '../../../src/language/step-schema.ts';
import { validate } from '../../../src/language/validate.ts';
import { partOf } from '../../sweep.ts';
import { changed, changes, documents, examples, isYaml, parsed } from './corpus.ts';

/** `RUNS=20000 SEED=1` for more. */
const runs = {
  numRuns: Number(process.env['RUNS'] ?? partOf(25)),
  seed: Number(process.env['SEED'] ?? 7),
};

function formatted(text: string): string {
  const done = format('p.yaml', text);
  if (!done.ok) throw new Error(`${JSON.stringify(done.error)}\n${text}`);
  return done.value;
}

/** Found without the code under test: every comment of the tokens, in order. */
function commentsOf(text: string): readonly string[] {
  const found: string[] = [];
  const look = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(look);
    else if (typeof part === 'object' && part !== null) {
      if ('type' in part && part.type === 'comment' && 'source' in part)
        found.push(String(part.source).trimEnd());
      Object.values(part).forEach(look);
    }
  };
  look([...new Parser().parse(text)] satisfies CST.Token[]);
  return found;
}

/** The requests of a valid pipeline, in the order of its steps: what fingerprints and tasks are made of. */
function stepsOf(text: string): readonly string[] {
  const valid = validate('p.yaml', text);
  if (!valid.ok) return [];
  const { steps, document } = valid.value.pipeline;
  return steps.map(({ name, after }) => canonical({ name, after, ...document.steps[name]?.with }));
}

function expectSameMeaning(text: string): void {
  const once = formatted(text);
  expect(parsed(once), text).toEqual(parsed(text));
  expect(commentsOf(once).toSorted(), text).toEqual(commentsOf(text).toSorted());
  expect(formatted(once), text).toBe(once);
}

describe('every layout keeps its values and its comments, and formatting again changes nothing', () => {
  test.each(examples)('%s', (_name, text) => {
    expectSameMeaning(text);
    const [before, after] = [text, formatted(text)].map(stepsOf);
    expect(after).toEqual(before);
    expectSameMeaning(text.replaceAll(/^ +/gm, (spaces) => spaces.repeat(2)));
  });

  test('examples with comments, notes and blank lines anywhere, whose comments stay in order', () => {
    fc.assert(
      fc.property(fc.constantFrom(...examples), changes, ([, example], made) => {
        const text = changed(formatted(example), made);
        if (!isYaml(text)) return;
        expectSameMeaning(text);
        expect(commentsOf(formatted(text)), text).toEqual(commentsOf(text));
      }),
      runs,
    );
  });

  test('documents of all styles', () => {
    fc.assert(
      fc.property(documents, (text) => expectSameMeaning(text)),
      runs,
    );
  });
});

describe('the layout', () => {
  test('is what the examples of the repository have', () => {
    for (const [name, text] of examples)
      if (name.endsWith('.yaml')) expect(formatted(text), name).toBe(text);
  });

  test('indents by two, also lists, and keeps a blank line between sections, but not two', () => {
    const text = `\n\npipeline:   p\nsteps:\n\n    up:\n        uses: upload   \n        needs:\n        - a\n\n\n        -   b\n\n\n\n`;
    expect(formatted(text)).toBe(
      'pipeline: p\nsteps:\n  up:\n    uses: upload\n    needs:\n      - a\n\n      - b\n',
    );
  });

  test('leaves flow collections on one line, and opens those that do not fit or hold a comment', () => {
    const text = `a: {b: 1,c: [ 1,2 ],\n  d: {}}\ne: { f: 1, # why\n  g: [] }\nh: [${'long, '.repeat(22)}end]\n`;
    expect(formatted(text).split('\n').slice(0, 6)).toEqual([
      'a: { b: 1, c: [1, 2], d: {} }',
      'e:',
      '  f: 1 # why',
      '  g: []',
      'h:',
      '  - long',
    ]);
  });

  test('leaves quotes, escapes, numbers and block scalars as they are', () => {
    const text = `a: "\\u200b"\nb: 'it''s'\nc: 0x1F\nd: 1_0\ne: 1.50\nf: >-\n  one\n  two\n\n    three\ng: |+\n  x\n\nh: ~\n`;
    expect(formatted(text)).toBe(text);
  });

  test('puts the keys of the file and of each step in order, with their comments', () => {
    const text = `# yaml-language-server: $schema=x\n# about the steps\nsteps:\n  up: { with: { file: a }, uses: upload }\n  swap:\n    # patient\n    timeout: 1h\n    with: {}\n    uses: face-swap # the kind\n\n# about the name\npipeline: p\nlater: 1\nitems: { glob: x }\n`;
    expect(formatted(text)).toBe(
      `# yaml-language-server: $schema=x\n# about the name\npipeline: p\nitems: { glob: x }\n\n# about the steps\nsteps:\n  up: { uses: upload, with: { file: a } }\n  swap:\n    uses: face-swap # the kind\n    with: {}\n    # patient\n    timeout: 1h\nlater: 1\n`,
    );
  });

  test('does not order keys where an alias would come before its anchor', () => {
    const text = 'steps:\n  up: &up { uses: upload }\npipeline: *up\n';
    expect(formatted(text)).toBe(text);
  });

  test('keeps the line ends and the byte order mark of the file', () => {
    expect(formatted('\ufeffa:   1\r\nb: |\r\n    x\r\n')).toBe('\ufeffa: 1\r\nb: |\r\n  x\r\n');
  });

  test('of a file that is not YAML does not exist: the mistake has its place', () => {
    expect(format('p.yaml', 'a: [1\n')).toMatchObject({
      ok: false,
      error: [{ file: 'p.yaml', span: { line: expect.any(Number) } }],
    });
  });

  test('knows every key of a pipeline and of a step', () => {
    expect(topKeys).toEqual(expect.arrayContaining(Object.keys(pipelineShape.properties)));
    expect(stepKeys).toEqual(expect.arrayContaining(Object.keys(stepSchema.properties)));
  });
});
