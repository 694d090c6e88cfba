// The alternatives in the schema of `with:` are for expressions and for editors: a wrong value gets one error, in terms of
// the field.
import { describe, expect, test } from 'vitest';
import { validate } from '../../src/language/validate.ts';

const errorsOf = (lines: readonly string[]): readonly string[] => {
  const text = `pipeline: p\nsteps:\n  clip:\n    uses: text-to-video\n    keep: remote\n    with:\n${lines
    .map((line) => `      ${line}\n`)
    .join('')}`;
  const checked = validate('p.yaml', text);
  return checked.ok ? [] : checked.error.map(({ message }) => message);
};

const good = ['end_seconds: 3', 'style: { prompt: a }'];

describe('a wrong value gets one error', () => {
  test.each([
    ['resolution: 490p', 'must be one of 480p, 720p, 1080p, 4k, not the text "490p"'],
    ['resolution: 480', 'must be a string, not 480'],
    ['resolution: [480p]', 'must be a string, not a list'],
    ['audio: loud', 'must be a boolean, not the text "loud"'],
    ['audio: { on: true }', 'must be a boolean, not an object'],
    ['model: [ltx-2.3]', 'must be a string, not a list'],
    ['model: 2.3', 'must be a string, not 2.3'],
    ['name: 5', 'must be a string, not 5'],
  ])('%s', (line, words) => {
    const field = line.split(':')[0];
    expect(errorsOf([...good, line])).toEqual([`step "clip": ${field} ${words}`]);
  });

  test.each([
    [['end_seconds: long', good[1] ?? ''], ['end_seconds must be a number, not the text "long"']],
    [['end_seconds: 61', good[1] ?? ''], ['end_seconds must be 60 or less, not 61']],
    [[good[0] ?? '', 'style: red'], ['style must be an object, not the text "red"']],
    [[good[0] ?? '', 'style: {}'], ['style needs "prompt"']],
  ])('%j', (lines, words) => {
    expect(errorsOf(lines)).toEqual(words.map((sentence) => `step "clip": ${sentence}`));
  });
});

test('other models are sent, and expressions stand for any value', () => {
  expect(errorsOf([...good, 'model: next-year'])).toEqual([]);
  for (const field of ['end_seconds', 'style', 'resolution', 'audio', 'model', 'name']) {
    const others = good.filter((line) => !line.startsWith(field));
    const errors = errorsOf([...others, `${field}: "\${{ dyn(run.date) }}"`]);
    expect(errors, field).toEqual([]);
  }
});
