// State files of format 1: each line is read as the same fact of today.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  currentFormat,
  formatOf,
  parseAnyFormat,
  type StateFormat,
} from '../../../src/runner/journal/format.ts';
import { isTorn } from '../../../src/runner/journal/torn.ts';
import { at, job } from './lines.ts';

const header = '{"shotlist":1,"pipeline":"p","service":"rehearsal"}';

function old(): StateFormat {
  const found = formatOf(header);
  if (!found.ok) throw new Error(found.error);
  return found.value;
}

const line = (event: string, more: object): string =>
  JSON.stringify({ seq: 3, event, job: job('a'), ...more, at });
const error = { code: 'bad_input', message: 'no' };

const events: readonly (readonly [string, string, object])[] = [
  [
    'a refused creation as one that was not taken',
    line('refused', { error }),
    { event: 'settled', status: 'not_taken', credits: 0, error },
  ],
  [
    'an abandoned doubt as an attempt whose credits are written off',
    line('abandoned', { credits: 7, why: 'nobody knows' }),
    {
      event: 'settled',
      status: 'abandoned',
      credits: 7,
      error: { code: 'abandoned', message: 'nobody knows' },
    },
  ],
  [
    'a project that was gone as one deleted elsewhere',
    line('gone', { why: 'not found' }),
    { event: 'deleted', why: 'not found' },
  ],
  [
    'a deletion of our own',
    line('deleted', { task: 'tidy:a' }),
    { event: 'deleted', task: 'tidy:a' },
  ],
  [
    'an end that both formats know',
    line('settled', { status: 'error', credits: 0, error }),
    { event: 'settled', status: 'error', credits: 0, error },
  ],
];

describe('format 1', () => {
  test('is what a header with version 1 says, and the header is upgraded', () => {
    expect(old().version).toBe(1);
    expect(old().parse(header)).toEqual({
      ok: true,
      value: { type: 'header', line: { shotlist: 3, pipeline: 'p', service: 'rehearsal' } },
    });
  });

  test.each(events)('reads %s', (_, text, expected) => {
    const value = { type: 'event', line: { seq: 3, job: job('a'), at, ...expected } };
    expect(old().parse(text)).toEqual({ ok: true, value });
  });

  test.each([
    ['a refusal without an error', line('refused', {})],
    ['a deletion without a task', line('deleted', { why: 'not found' })],
    ['an end that only format 2 knows', line('settled', { status: 'not_taken', credits: 0 })],
    ['an unknown field', line('gone', { why: 'w', task: 't' })],
    ['an event that no format knows', line('conjured', {})],
  ])('does not read %s', (_, text) => {
    expect(old().parse(text).ok).toBe(false);
  });
});

describe('format 2', () => {
  test.each([line('refused', { error }), line('gone', { why: 'w' }), header])(
    'does not read the lines of format 1: %s',
    (text) => {
      expect(currentFormat.parse(text).ok).toBe(false);
    },
  );

  test.each([
    ['neither a task nor a reason', {}],
    ['both', { task: 't', why: 'w' }],
  ])('does not read a deletion with %s', (_, more) => {
    expect(currentFormat.parse(line('deleted', more)).ok).toBe(false);
  });
});

test('a newer format is refused with what to do', () => {
  expect(formatOf(header.replace('1', '4'))).toEqual({
    ok: false,
    error:
      'a newer shotlist wrote it, in format 4; this version reads formats up to 3: upgrade shotlist',
  });
});

test.each(['2.5', '3.5', '1e999', '"3"', '[3]'])(
  'a header with the format %s is left to the current reader, which says what is wrong',
  (version) => {
    expect(formatOf(`{"shotlist":${version}}`)).toEqual({ ok: true, value: currentFormat });
  },
);

test('an event whose name is a list with a name of format 1 is no event', () => {
  expect(old().parse('{"seq":1,"event":["gone"]}')).toEqual({
    ok: false,
    error: 'there is no event ["gone"]',
  });
});

test('lines of both formats are read where a merge may have mixed them', () => {
  for (const text of [
    header,
    header.replace('1', '2'),
    line('gone', { why: 'w' }),
    line('deleted', { why: 'w' }),
  ])
    expect(parseAnyFormat(text).ok).toBe(true);
  expect(parseAnyFormat('{"seq":1,"event":"conjured"}')).toEqual({
    ok: false,
    error: 'there is no event "conjured"',
  });
});

describe('a torn last line', () => {
  const path = '../../fixtures/state-format-1/interrupted.state.jsonl';
  const lines = readFileSync(new URL(path, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const cut = { wellFormed: true, terminated: false };

  test('of a file of format 1 is known wherever it was cut', () => {
    for (const [index, text] of lines.entries())
      for (let end = 1; index > 0 && end < text.length; end++) {
        const raw = { ...cut, text: text.slice(0, end) };
        expect(isTorn(raw, index + 1, index - 1, old().events), raw.text).toBe(true);
      }
  });

  test('of the other format is damage', () => {
    const one = { ...cut, text: '{"seq":8,"event":"refused","jo' };
    expect(isTorn(one, 9, 7, old().events)).toBe(true);
    expect(isTorn(one, 9, 7, currentFormat.events)).toBe(false);
    const two = { ...cut, text: `{"seq":8,"event":"settled","job":"${job('a')}","status":"not` };
    expect(isTorn(two, 9, 7, old().events)).toBe(false);
    expect(isTorn(two, 9, 7, currentFormat.events)).toBe(true);
  });
});
