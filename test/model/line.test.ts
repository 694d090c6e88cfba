// Reading an event: everything that is told is read, and nothing else is taken.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEvent } from '../../src/model/line.ts';
import { partOf } from '../sweep.ts';
import { at, dated, job, journals } from './lines.ts';

const output = { event: 'output', job: job('a'), task: 'save:a', index: 0, path: 'a.png', at };
const whole = { ...output, bytes: 5, sha256: job('x') };

describe('an event is read', () => {
  test.each([{ event: 'run', run: 1, at }, whole])('%j', (value) => {
    expect(readEvent(value)).toEqual({ ok: true, value });
  });

  test('whatever is told of jobs, runs and tasks', () => {
    fc.assert(
      fc.property(journals, (events) => {
        for (const event of dated(events))
          expect(readEvent(JSON.parse(JSON.stringify(event)))).toMatchObject({ ok: true });
      }),
      { seed: 1, numRuns: partOf(60) },
    );
  });
});

describe('an event is refused', () => {
  test.each([
    ['it is not an object', 3],
    ['it is not an object', null],
    ['it is not an object', []],
    ['there is no event undefined', {}],
    ['there is no event "creatd"', { event: 'creatd', at }],
    ['there is no event "constructor"', { event: 'constructor', at }],
    ['there is no event null', { event: null, at }],
  ])('because %s: %j', (error, value) => {
    expect(readEvent(value)).toEqual({ ok: false, error });
  });

  test.each([
    ['an unknown field', { event: 'ended', at, extra: 1 }, 'must NOT have additional properties'],
    ['a fingerprint that is none', { ...whole, job: 'abc' }, '/job must match pattern'],
    [
      'a fingerprint in capitals',
      { ...whole, job: job('a').toUpperCase() },
      '/job must match pattern',
    ],
    ['a hash that is none', { ...whole, sha256: '00' }, '/sha256 must match pattern'],
    ['a missing field', output, 'must have required property'],
    [
      'half a credit',
      { event: 'created', job: job('a'), project: 'p', credits: 0.5, at },
      '/credits must be integer',
    ],
    [
      'credits below zero',
      { event: 'created', job: job('a'), project: 'p', credits: -1, at },
      '/credits must be >= 0',
    ],
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
    expect(readEvent(value)).toEqual({ ok: false, error: expect.stringContaining(why) });
  });
});
