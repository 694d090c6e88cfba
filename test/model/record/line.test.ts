// Reading a line of a state file: everything that is written is read back, and nothing else is taken.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asJson, canonical } from '../../../src/base/json.ts';
import { validatorOf } from '../../../src/base/schema.ts';
import { lineText, parseLine } from '../../../src/model/record/line.ts';
import { stateSchema } from '../../../src/model/record/schemas.ts';
import { partOf } from '../../sweep.ts';
import { at, folded, job, journals, readBack, textsOf } from '../lines.ts';

const attempt = { name: 'a #1', run: 'r', at, state: 'intended', reserve: 5 };
const output = { of: 'a #1', task: 's', index: 0, at, path: 'a.png', bytes: 5, sha256: job('x') };
const paid = {
  ...{ job: job('a'), kind: 'face-swap-photo', tasks: ['swap:a'] },
  ...{ attempts: [attempt], outputs: [output] },
};
const run = { run: 'r', at };

/** Empty if the line is taken. */
const problemOf = (value: unknown): string => {
  const line = parseLine(JSON.stringify(value));
  return line.ok ? '' : line.error;
};

test.each([
  ['header', { shotlist: 4, pipeline: 'p', service: 'rehearsal' }],
  ['run', run],
  ['run that ended', { ...run, ended: at, creations: 3, due: at, inputs: 'x' }],
  ['task', { task: 't', at, run: 'r', ending: 'failed', fault: { code: 'c', message: 'm' } }],
  ['mark', { mark: 'lost', id: 'r', at, creations: 2 }],
  ['job', paid],
  [
    'free job',
    { ...paid, kind: 'upload', attempts: [], outputs: [], supplied: { at, result: { a: [1] } } },
  ],
])('a line is a %s', (_, value) => {
  expect(problemOf(value)).toBe('');
});

test('whatever happens, its lines are read back, and the published schema knows them', () => {
  const known = validatorOf(stateSchema);
  fc.assert(
    fc.property(journals, (events) => {
      const ledger = folded(events);
      for (const text of textsOf(ledger)) {
        const read = parseLine(text);
        expect(read.ok && lineText(read.value)).toBe(text);
        expect(known(JSON.parse(text))).toBe(true);
      }
      expect(textsOf(readBack(ledger))).toEqual(textsOf(ledger));
    }),
    { seed: 1, numRuns: partOf(60) },
  );
});

test('a line has one text, whatever the order of its fields, and a terminal only displays it', () => {
  const name = 'a\u202eb\u009bc\u007f\u{e0041}\u2028\ud800d\n';
  const value = { ...paid, attempts: [{ ...attempt, name, fields: { b: name, a: '1' } }] };
  const read = parseLine(JSON.stringify(value));
  const sorted = parseLine(canonical(asJson(value)));
  if (!read.ok || !sorted.ok) throw new Error('not read');
  expect(lineText(read.value)).toBe(lineText(sorted.value));
  expect(lineText(read.value)).toMatch(/^[\x20-\x7e]+$/);
  expect(parseLine(lineText(read.value))).toEqual(read);
});

describe('a line is refused', () => {
  test.each([
    ['it is not JSON', '{"job":"'],
    ['it is not JSON', ''],
    ['it is not an object', '3'],
    ['it is not an object', 'null'],
    ['it is not an object', '[]'],
    ['it is not a line of a state file', '{}'],
    ['it is not a line of a state file', '{"constructor":1}'],
    ['it is not a line of a state file', '{"seq":1,"event":"run","run_":1}'],
  ])('%s: %s', (why, text) => {
    expect(parseLine(text)).toEqual({ ok: false, error: why });
  });

  const withAttempt = (change: object) => ({ ...paid, attempts: [{ ...attempt, ...change }] });
  test.each<readonly [string, unknown, string]>([
    ['an unknown field', { ...paid, extra: 1 }, 'must NOT have additional properties'],
    ['an unknown field of an attempt', withAttempt({ extra: 1 }), 'additional properties'],
    [
      'an unknown field of an output',
      { ...paid, outputs: [{ ...output, extra: 1 }] },
      'must NOT have additional properties',
    ],
    ['a fingerprint that is none', { ...paid, job: 'abc' }, '/job must match pattern'],
    ['one in capitals', { ...paid, job: job('a').toUpperCase() }, '/job must match pattern'],
    [
      'a hash that is none',
      { ...paid, outputs: [{ ...output, sha256: '00' }] },
      '/outputs/0/sha256',
    ],
    ['an unknown state', withAttempt({ state: 'paid' }), '/attempts/0/state must be equal to one'],
    ['a missing field', { ...paid, tasks: undefined }, "must have required property 'tasks'"],
    ['a reserve below zero', withAttempt({ reserve: -1 }), '/attempts/0/reserve must be >= 0'],
    [
      'half a credit',
      withAttempt({ charge: { credits: 0.5, read: at } }),
      'credits must be integer',
    ],
    [
      'a time of another zone',
      { ...run, at: '2026-08-05T10:00:00+02:00' },
      '/at must match pattern',
    ],
    ['another format', { shotlist: 3, pipeline: 'p', service: 's' }, '/shotlist must be equal to'],
    ['a payment of what is free', { ...paid, kind: 'upload' }, 'creates no projects'],
  ])('for %s', (_, value, why) => {
    expect(problemOf(value)).toContain(why);
  });
});
