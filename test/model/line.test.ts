// Reading a line of a database, or of receipts: everything that is written is read back, and nothing else is taken.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLine } from '../../src/model/line.ts';
import { partOf } from '../sweep.ts';
import { at, dated, folded, job, journals } from './lines.ts';

const type = (value: unknown): string => {
  const line = parseLine(JSON.stringify(value));
  return line.ok ? line.value.type : line.error;
};

const goodJob = {
  job: job('a'),
  kind: 'upload',
  state: 'supplied',
  tasks: ['photo:a'],
  attempt: 1,
  at,
};
const goodOutput = { task: 'save:a', index: 0, path: 'a.png', bytes: 5, sha256: job('x') };

describe('a line is', () => {
  test.each([
    ['run', { run: 1, at, charged: 0, refunded: 0 }],
    ['job', goodJob],
    [
      'job',
      {
        ...goodJob,
        kind: 'face-swap-photo',
        state: 'deleted',
        outputs: [goodOutput],
        project: 'x',
        credits: 0,
        result: { any: [1] },
      },
    ],
    ['task', { task: 't', state: 'failed', why: 'w' }],
    ['event', { event: 'run', run: 1, at }],
    ['event', { event: 'output', job: job('a'), ...goodOutput, at }],
  ])('a %s: %j', (expected, value) => {
    expect(type(value)).toBe(expected);
  });

  test('whatever is told of jobs, runs and tasks', () => {
    fc.assert(
      fc.property(journals, (events) => {
        const ledger = folded(events);
        const lines = [...dated(events), ...ledger.runs(), ...ledger.jobs(), ...ledger.tasks()];
        for (const line of lines)
          expect(parseLine(JSON.stringify(line))).toMatchObject({ ok: true, value: { line } });
      }),
      { seed: 1, numRuns: partOf(60) },
    );
  });
});

describe('a line is refused', () => {
  test.each([
    ['it is not JSON', '{"run":1'],
    ['it is not JSON', ''],
    ['it is not an object', '3'],
    ['it is not an object', 'null'],
    ['it is not a line that shotlist wrote', '{}'],
    ['it is not an object', '[]'],
  ])('%s: %s', (why, text) => {
    expect(parseLine(text)).toEqual({ ok: false, error: why });
  });

  test.each([
    ['there is no event "creatd"', { event: 'creatd', at }],
    ['there is no event "constructor"', { event: 'constructor', at }],
    ['there is no event null', { event: null, at }],
  ])('%s', (why, value) => {
    expect(type(value)).toBe(why);
  });

  test.each([
    ['an unknown field', { ...goodJob, extra: 1 }, 'must NOT have additional properties'],
    [
      'an unknown field of an event',
      { event: 'ended', at, extra: 1 },
      'must NOT have additional properties',
    ],
    [
      'an unknown field of an output',
      { ...goodJob, outputs: [{ ...goodOutput, extra: 1 }] },
      'must NOT have additional properties',
    ],
    ['a fingerprint that is none', { ...goodJob, job: 'abc' }, '/job must match pattern'],
    [
      'a fingerprint in capitals',
      { ...goodJob, job: job('a').toUpperCase() },
      '/job must match pattern',
    ],
    [
      'a hash that is none',
      { ...goodJob, outputs: [{ ...goodOutput, sha256: '00' }] },
      '/outputs/0/sha256 must match pattern',
    ],
    [
      'an unknown state',
      { ...goodJob, state: 'paid' },
      '/state must be equal to one of the allowed values',
    ],
    ['a missing field', { ...goodJob, tasks: undefined }, "must have required property 'tasks'"],
    ['credits below zero', { run: 1, at, charged: -1, refunded: 0 }, '/charged must be >= 0'],
    ['half a credit', { run: 1, at, charged: 0.5, refunded: 0 }, '/charged must be integer'],
    [
      'an empty project id',
      { event: 'created', job: job('a'), project: '', credits: 1, at },
      '/project must NOT have fewer',
    ],
    [
      'an unknown status',
      { event: 'settled', job: job('a'), status: 'done', credits: 1, at },
      '/status must be equal to one of',
    ],
  ])('for %s', (_, value, why) => {
    expect(type(value)).toContain(why);
  });
});
