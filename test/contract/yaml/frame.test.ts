// A diagnostic as people read it: the place, the line, the caret under the right characters, the hint.
import { describe, expect, test } from 'vitest';
import {
  type Diagnostic,
  maxPrinted,
  renderDiagnostic,
  renderDiagnostics,
  suggestion,
} from '../../../src/contract/yaml/diagnostic.ts';
import { photo, problemsOf, withSteps } from '../../language/check.ts';
import { control } from '../../views/wild.ts';

/** The characters that the caret line of a frame underlines. */
function underlined(frame: string): string | undefined {
  const lines = frame.split('\n');
  const at = lines.findIndex((line) => /^\s*\|\s*\^+\s*$/.test(line));
  const caret = lines[at] ?? '';
  const from = caret.indexOf('^');
  return lines[at - 1]?.slice(from, caret.lastIndexOf('^') + 1);
}

const render = (text: string): string =>
  problemsOf(text)
    .map((one) => renderDiagnostic(one, text))
    .join('\n');

describe('the frame', () => {
  test.each([
    ['ouput', `pipeline: p\nouput: x\nsteps:\n  ${photo}\n`],
    [
      'retrry',
      withSteps('photo: { uses: upload, with: { file: a.png }, retrry: { attempts: 2 } }'),
    ],
    ['uplod', withSteps('photo: { uses: uplod, with: { file: a.png } }')],
    ['itm', withSteps('photo: { uses: upload, with: { file: "${{ itm.path }}" } }')],
    [
      'steps.phto.file_path',
      withSteps(
        photo,
        'f: { uses: face-detect, with: { target_file_path: "${{ steps.phto.file_path }}" } }',
      ),
    ],
    [
      'steps.phto.file_path',
      withSteps(
        photo,
        'f:',
        '  uses: face-detect',
        '  with:',
        '    target_file_path: >-',
        '      ${{',
        '        steps.phto.file_path',
        '      }}',
      ),
    ],
  ])('has its caret under %s', (wrong, text) => {
    expect(underlined(render(text))).toBe(wrong);
  });

  test('is the whole message: place, sentence, one line before and after, hint', () => {
    const text = `pipeline: p\nouput: x\nsteps:\n  ${photo}\n`;
    expect(render(text)).toBe(
      [
        'p.yaml:2:1: error SL101: unknown key "ouput"',
        '  1 | pipeline: p',
        '> 2 | ouput: x',
        '    | ^^^^^',
        '  3 | steps:',
        '  did you mean "output"?',
      ].join('\n'),
    );
  });

  test('is left out where there is no text, and so is the place where there is none', () => {
    const bare: Diagnostic = {
      severity: 'warning',
      code: 'SL403',
      file: 'p.yaml',
      message: 'odd',
      hint: 'mend it',
    };
    expect(renderDiagnostic(bare, 'pipeline: p')).toBe('p.yaml: warning SL403: odd\n  mend it');
    const span = { line: 3, column: 5, endLine: 3, endColumn: 6 };
    expect(renderDiagnostic({ ...bare, span }, undefined)).toBe(
      'p.yaml:3:5: warning SL403: odd\n  mend it',
    );
  });

  test('points at the beginning of what goes over several lines', () => {
    const text = 'pipeline: p\nsteps:\n  a: [\n    1 ]\n';
    expect(underlined(render(text))).toBe('[');
  });

  test('lets no control character of a message or a text reach the terminal', () => {
    const span = { line: 1, column: 1, endLine: 1, endColumn: 2 };
    const wild: Diagnostic = {
      severity: 'error',
      code: 'SL101',
      file: 'p.yaml',
      span,
      message: 'swap:a\u001b[31m.png is bad',
      hint: 'try\u009b1m',
    };
    expect(renderDiagnostic(wild, 'a\u001b[2J')).not.toMatch(control);
  });
});

describe('a frame is never wider than the terminal', () => {
  const bad = (column: number): Diagnostic => ({
    severity: 'error',
    code: 'SL101',
    file: 'p.yaml',
    span: { line: 2, column, endLine: 2, endColumn: column + 5 },
    message: 'odd',
    hint: 'mend it',
  });
  const text = (before: number, after: number): string =>
    `${'a'.repeat(300)}\n${'b'.repeat(before)}WRONG${'c'.repeat(after)}\nlast\n`;

  test.each([
    ['at the beginning', 0, 100_000],
    ['in the middle', 50_000, 50_000],
    ['at the end', 100_000, 0],
  ])('with the place %s of a long line', (_, before, after) => {
    for (const width of [40, 80, 200]) {
      const frame = renderDiagnostic(bad(before + 1), text(before, after), width);
      for (const line of frame.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
      expect(underlined(frame)).toBe('WRONG');
      expect(frame).toContain('…');
    }
  });

  test('with bytes that are no text', () => {
    const bytes = Array.from({ length: 5000 }, (_, index) => String.fromCharCode(index % 256));
    const jpeg = bytes.join('').replaceAll('\n', ' ').replaceAll('\u2028', ' ');
    const frame = renderDiagnostic(
      { ...bad(400), span: { line: 1, column: 400, endLine: 1, endColumn: 405 } },
      jpeg,
    );
    expect(frame).not.toMatch(control);
    expect(frame.length).toBeLessThan(500);
  });

  test('and a message has an end', () => {
    const loud = { ...bad(1), message: 'x'.repeat(50_000), hint: 'y'.repeat(50_000) };
    expect(renderDiagnostic(loud, undefined).length).toBeLessThan(2500);
  });

  test('and line ends that only some know do not move it', () => {
    const odd = 'a: 1\u2028b: 2\rc: 3\nd: WRONG\n';
    expect(underlined(renderDiagnostic(bad(4), odd))).toBe('WRONG');
  });
});

describe('many diagnostics', () => {
  const steps = (count: number): string =>
    withSteps(
      ...Array.from(
        { length: count },
        (_, index) => `s${index}: { uses: uplod, with: { file: a.png } }`,
      ),
    );

  test('are printed up to a number that people read, and counted', () => {
    const text = steps(1000);
    const found = problemsOf(text);
    expect(found).toHaveLength(1000);
    const printed = renderDiagnostics(found, text);
    expect(printed.match(/: error SL110: /g)).toHaveLength(maxPrinted);
    expect(printed).toMatch(/\nand 950 more; --json lists them all$/);
  });

  test('fit on a page: only the first ones are shown with their places', () => {
    const text = steps(1000);
    const printed = renderDiagnostics(problemsOf(text), text);
    expect(printed.match(/^ +\| +\^/gm)).toHaveLength(5);
    expect(printed.split('\n').length).toBeLessThan(80);
    expect(printed).toContain(
      'p.yaml:52:16: error SL110: step "s49": there is no step kind "uplod"\nand 950',
    );
  });

  test('of one place show it once', () => {
    const span = { line: 1, column: 1, endLine: 1, endColumn: 2 };
    const one: Diagnostic = {
      severity: 'error',
      code: 'SL101',
      file: 'p.yaml',
      span,
      message: 'odd',
      hint: 'mend it',
    };
    expect(renderDiagnostics([one, { ...one, message: 'odder' }], 'a: 1')).toBe(
      'p.yaml:1:1: error SL101: odd\n> 1 | a: 1\n    | ^\n  mend it\np.yaml:1:1: error SL101: odder\n  mend it',
    );
  });

  test('that are few are all printed', () => {
    const text = steps(3);
    expect(renderDiagnostics(problemsOf(text), text)).not.toContain('more');
  });

  test('do not list thousands of names each', () => {
    const text = withSteps(
      ...Array.from(
        { length: 300 },
        (_, index) => `s${index}: { uses: upload, with: { file: "\${{ steps.elsewhere.x }}" } }`,
      ),
    );
    expect(Math.max(...problemsOf(text).map(({ hint = '' }) => hint.length))).toBeLessThan(300);
  });
});

describe('a suggestion', () => {
  test.each([
    ['uplod', 'upload'],
    ['UPLOAD', 'upload'],
    ['face-swap-photos', 'face-swap-photo'],
  ])('for %s is %s', (wrong, right) => {
    expect(suggestion(wrong, ['face-swap', 'face-swap-photo', 'upload', 'download'])).toBe(
      `did you mean "${right}"?`,
    );
  });

  test('is not made for what is like nothing', () => {
    expect(suggestion('zebra', ['upload', 'download'])).toBeUndefined();
    expect(suggestion('x', [])).toBeUndefined();
  });
});
