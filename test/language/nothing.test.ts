// What is no prompt: spaces, and what spreadsheets and programs write for a missing value.
import { describe, expect, test } from 'vitest';
import { nothingIn, whyNoPrompt } from '../../src/language/nothing.ts';
import { compileTemplate, fill } from '../../src/language/template.ts';
import { problemsOf } from './check.ts';

const sheet = [
  ...['#N/A', '#REF!', '#VALUE!', '#DIV/0!', '#NAME?', '#NULL!', '#NUM!', '#SPILL!', '#CALC!'],
  ...['#NV', '#BEZUG!', '#WERT!', '#ZAHL!', '#N/D', '#¡REF!', '#¿NOMBRE?', '#VALEUR!', '#NOM?'],
  ...['#ERROR!', '#GETTING_DATA', '####', 'Err:502'],
];
const programs = ['nan', 'NaN', 'NaT', '<NA>', 'undefined', '[object Object]'];
const words = [
  'NULL',
  'null',
  'None',
  'none',
  'N/A',
  'n/a',
  'NA',
  'nil',
  '(null)',
  '(blank)',
  'NAN',
];
const blank = [
  ' ',
  '\t\n',
  '\u00a0',
  '\u3000',
  '\u200b',
  '\u200b \ufeff',
  '\u2800',
  '\u3164',
  '\u00ad',
];
const marks = ['-', '—', '...', '?', '/', '""'];
const prompts = [
  ...[
    'a mug',
    'None of us',
    'nan bread',
    'Nanette',
    'null island',
    '#1',
    '#NASA',
    '#YOLO',
    '7',
    'é',
  ],
  ...['a #REF! on a screen', '日本', 'ф', '❤️', '+', '¿Qué?', 'N/A sign on a door'],
];

test.each([...blank, ...marks, ...sheet, ...programs, ...words, ' nan ', '#n/a'])(
  '%j is no prompt',
  (text) => {
    expect(whyNoPrompt(text)).toBeDefined();
  },
);

test.each(prompts)('%j is a prompt', (text) => {
  expect(whyNoPrompt(text)).toBeUndefined();
});

describe('in a longer text', () => {
  const nowhere = { env: {}, run: {}, steps: {} };
  const filled = (cell: string, from = 'item.text') => {
    const template = compileTemplate(`a mug, \${{ ${from} }}`, ['with', 'prompt'], []);
    return fill(template, { ...nowhere, item: { text: cell }, inputs: { text: cell } });
  };

  test.each([...sheet, ...programs])('the cell %j is refused, with its column', (cell) => {
    expect(filled(cell)).toMatchObject({
      ok: false,
      error: { code: 'SL405', references: [{ root: 'item', key: 'text' }] },
    });
    expect(filled(cell, 'inputs.text')).toMatchObject({ ok: true });
  });

  test.each(['', ' ', 'none', 'None', 'N/A', 'nil', 'Nan'])('%j may be meant', (cell) => {
    expect(nothingIn(cell)).toBeUndefined();
    expect(filled(cell)).toEqual({ ok: true, value: `a mug, ${cell}` });
  });
});

describe('in a file', () => {
  const clip = (prompt: string, more = ''): string =>
    `pipeline: p\nsteps:\n  clip: { uses: text-to-video, keep: remote, with: { end_seconds: 3, model: ltx-2.3, resolution: 480p, style: { prompt: ${prompt} } } }\n${more}`;

  test.each(["' '", "'#N/A'", 'NaN', '"\\u200b"'])(
    'the prompt %s is refused at its place',
    (prompt) => {
      expect(problemsOf(clip(prompt))).toMatchObject([{ code: 'SL405', span: { line: 3 } }]);
    },
  );

  test.each(['a mug', '"#1"', '"${{ inputs.x }}"'])('the prompt %s is fine', (prompt) => {
    expect(problemsOf(clip(prompt, 'inputs: { x: { type: string } }\n'))).toEqual([]);
  });

  test('a color may be none', () => {
    const steps = `  clip: { uses: upload, with: { file: a.mp4 } }\n  sub: { uses: auto-subtitle-generator, estimate: 9, keep: remote, with: { start_seconds: 0, end_seconds: 2, assets: { video_file_path: "\${{ steps.clip.file_path }}" }, style: { custom_config: { font: none, horizontal_position: "1", vertical_position: "1", stroke_color: none } } } }`;
    expect(problemsOf(`pipeline: p\nsteps:\n${steps}\n`)).toEqual([]);
  });
});
