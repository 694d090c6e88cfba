// A diagnostic as people read it: the place, the line, the caret under the right characters, the hint.
import { describe, expect, test } from 'vitest';
import { type Diagnostic, renderDiagnostic, suggestion } from '../../src/language/diagnostic.ts';
import { control } from '../report/wild.ts';
import { photo, problemsOf, withSteps } from './check.ts';

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
        'p.yaml:2:1: error: unknown key "ouput"',
        '  1 | pipeline: p',
        '> 2 | ouput: x',
        '    | ^^^^^',
        '  3 | steps:',
        '  did you mean "output"?',
      ].join('\n'),
    );
  });

  test('is left out where there is no text, and so is the place where there is none', () => {
    const bare: Diagnostic = { severity: 'warning', file: 'p.yaml', message: 'odd' };
    expect(renderDiagnostic(bare, 'pipeline: p')).toBe('p.yaml: warning: odd');
    const span = { line: 3, column: 5, endLine: 3, endColumn: 6 };
    expect(renderDiagnostic({ ...bare, span }, undefined)).toBe('p.yaml:3:5: warning: odd');
  });

  test('points at the beginning of what goes over several lines', () => {
    const text = 'pipeline: p\nsteps:\n  a: [\n    1 ]\n';
    expect(underlined(render(text))).toBe('[');
  });

  test('lets no control character of a message or a text reach the terminal', () => {
    const span = { line: 1, column: 1, endLine: 1, endColumn: 2 };
    const wild: Diagnostic = {
      severity: 'error',
      file: 'p.yaml',
      span,
      message: 'swap:a\u001b[31m.png is bad',
      hint: 'try\u009b1m',
    };
    expect(renderDiagnostic(wild, 'a\u001b[2J')).not.toMatch(control);
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
