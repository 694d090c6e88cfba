// YAML's traps, several mistakes at once, and what is right although it looks odd.
import { describe, expect, test } from 'vitest';
import { validate } from '../../src/language/validate.ts';
import { marked, photo, problemsOf, swap, whole, withSteps } from './check.ts';

describe('an unquoted conditional', () => {
  const at = (value: string) =>
    `pipeline: p\nsteps:\n  a:\n    uses: upload\n    with:\n      file: ${value}\n`;

  test.each([
    '${{ true ? "a.png" : "b.png" }}',
    "${{ true ? 'a.png' : 'b.png' }}",
    '${{ inputs.x ? a : b }}',
  ])('%s gets one diagnostic that says to quote it', (value) => {
    const found = problemsOf(at(value));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ span: { line: 6 } });
    expect(found[0]?.hint).toContain('quote it');
  });

  test('is fine with quotes around it', () => {
    expect(problemsOf(at('\'${{ true ? "a.png" : "b.png" }}\''))).toEqual([]);
  });

  test('is not blamed for other trouble', () => {
    const [first] = problemsOf('pipeline: p\nsteps:\n  a: b: c\n');
    expect(first?.message).toBe('the line has a second ": "');
    expect(first?.hint).not.toContain('quote it');
  });
});

describe('what YAML can do and a pipeline cannot', () => {
  test('an alias of nothing is a diagnostic at the alias', () => {
    const { text, span } = marked(`pipeline: p\ndescription: «*nobody»\nsteps:\n  ${photo}\n`);
    const found = problemsOf(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ severity: 'error', span: { line: span.line } });
  });

  test('a bomb of aliases is a diagnostic', () => {
    const ten = (name: string) => `[${`*${name},`.repeat(10)}]`;
    const text = [
      'pipeline: p',
      'a: &a [1,1,1,1,1,1,1,1,1,1]',
      ...['b', 'c', 'd', 'e'].map(
        (name, index) => `${name}: &${name} ${ten('abcd'[index] ?? 'a')}`,
      ),
      '',
    ].join('\n');
    expect(problemsOf(text).length).toBeGreaterThan(0);
  });

  test.each([
    ['a with', withSteps('a: { uses: upload, with: &w { file: x.png, more: *w } }')],
    ['items', `pipeline: p\nitems: { values: &v [{ again: *v }] }\nsteps:\n  ${photo}\n`],
  ])('%s that holds itself is a diagnostic', (_, text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0);
  });

  test('anchors and aliases themselves are welcome', () => {
    const text = withSteps(
      'a: { uses: upload, with: &w { file: x.png } }',
      'b: { uses: upload, with: *w }',
    );
    expect(problemsOf(text)).toEqual([]);
  });
});

describe('several mistakes', () => {
  test('are all told, in the order of the file', () => {
    const text = withSteps(
      'a: { uses: upload, with: { file: "${{ itm.path }}" } }',
      'b: { uses: uplod, with: { file: x.png } }',
      'c: { uses: face-detect, with: { target_file_path: "${{ steps.zz.file_path }}" } }',
    );
    expect(problemsOf(text).map(({ span }) => span?.line)).toEqual([3, 4, 5]);
  });

  test('an if: that is a list is told once', () => {
    const found = problemsOf(withSteps('a: { uses: upload, if: [true], with: { file: x.png } }'));
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringContaining('must be a string or a boolean'),
    ]);
  });
});

describe('places in a text', () => {
  test('an expression is pointed at, not the same words before it', () => {
    const { text, span } = marked(
      'pipeline: p\nitems: { values: [{ path: a }] }\nsteps:\n  a: { uses: upload, with: { file: "item.bad/${{ «item.bad» }}" } }\n',
    );
    expect(problemsOf(text)[0]?.span).toEqual(span);
  });

  test('a key that is a number is pointed at', () => {
    const { text, span } = marked(`pipeline: p\n«1»: 2\nsteps:\n  ${photo}\n`);
    expect(problemsOf(text)[0]?.span).toEqual(span);
  });
});

describe('a name that is nothing known', () => {
  test('a limit for a step kind that does not exist is told', () => {
    const { text } = marked(`pipeline: p\nlimits: { steps: { «uplod»: 3 } }\nsteps:\n  ${photo}\n`);
    expect(problemsOf(text)).toHaveLength(1);
  });
});

describe('what is right', () => {
  test('the pipeline of the design has neither errors nor warnings', () => {
    const result = validate('p.yaml', whole);
    expect(result).toMatchObject({ ok: true, value: { warnings: [] } });
  });

  test('a map inside a map literal', () => {
    expect(
      problemsOf(
        withSteps(`a: { uses: upload, with: { file: '\${{ {"a": {"b": "x.png"}}.a.b }}' } }`),
      ),
    ).toEqual([]);
  });

  test('a macro variable named like a root', () => {
    expect(
      problemsOf(
        withSteps(`a: { uses: upload, with: { file: '\${{ ["x"].map(item, item)[0] }}' } }`),
      ),
    ).toEqual([]);
  });

  test('assets that are one expression are not judged before they are known', () => {
    const text = `pipeline: p\nitems: { values: [{ assets: { target_file_path: a } }] }\nsteps:\n  a: { uses: face-swap-photo, with: { assets: "\${{ item.assets }}" } }\n`;
    expect(problemsOf(text)).toEqual([]);
  });

  test('a delete with discard needs no download', () => {
    expect(
      problemsOf(
        withSteps(photo, swap, 'tidy: { uses: delete, with: { of: swap, discard: true } }'),
      ),
    ).toEqual([]);
  });

  test.each(['api-assets/x/y.png', 'https://example.com/a.png?x=1', 'http://example.com/A.JPG'])(
    '%s is an asset',
    (asset) => {
      expect(
        problemsOf(withSteps(`f: { uses: face-detect, with: { target_file_path: "${asset}" } }`)),
      ).toEqual([]);
    },
  );
});
