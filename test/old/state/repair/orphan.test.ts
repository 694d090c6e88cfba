// Payments that have no place in the proposal: which line is one, and what is told of it.
import { expect, test } from 'vitest';
import type { JobLine, NewEvent } from '../../../../src/model/line.ts';
import { orphanOf } from '../../../../src/state/repair/precedence.ts';
import {
  complete,
  created,
  doubted,
  errored,
  forgotten,
  intent,
  job,
  jobAfter,
  supplied,
} from '../../../model/lines.ts';

function line(...events: readonly NewEvent[]): JobLine {
  const found = jobAfter(...events);
  if (found === undefined) throw new Error('no job');
  return found;
}

const kept: JobLine = { ...line(intent(), created(), complete()), name: 'kept', project: 'q' };
const doubt = line(intent(), doubted());
const about = { job: job('a'), tasks: ['swap:a'] };

test.each([
  ['that failed', line(intent(), created(), errored())],
  ['that is free', { ...line(supplied()), project: 'p' }],
  ['that was forgotten', { ...line(intent(), created(), forgotten()), project: 'p' }],
  ['that has the name of the one that is kept', { ...doubt, name: 'kept' }],
])('a line %s is none', (_, other) => {
  expect(orphanOf(other, kept)).toBeUndefined();
});

test('a doubt without a name is none: nobody could look it up', () => {
  const { name: _name, ...nameless } = doubt;
  expect(orphanOf(nameless, kept)).toBeUndefined();
});

test('a doubt of another name may have been paid too', () => {
  const why = 'this attempt may have been paid too';
  expect(orphanOf(doubt, kept)).toStrictEqual({ ...about, name: 'a #1', why });
});

test('a project was paid too, with its credits, whatever its name', () => {
  const why = 'this project was paid too; q is kept';
  const paid = line(intent(), created('a', 9));
  const told = { ...about, project: 'p-a', name: 'a #1', credits: 9 };
  expect(orphanOf(paid, kept)).toStrictEqual({ ...told, why });
  expect(orphanOf(paid, { ...doubt, name: 'a #1' })).toStrictEqual({
    ...{ ...told, why: 'this project was paid too; an attempt in doubt is kept' },
  });
  const { name: _n, credits: _c, ...bare } = paid;
  expect(orphanOf(bare, kept)).toStrictEqual({ ...about, project: 'p-a', why });
});
