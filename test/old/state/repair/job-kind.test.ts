// A line whose step kind cannot be right: the project that it names is kept, with the kind of its task's step.
import { expect, test } from 'vitest';
import { parseLine } from '../../../../src/model/line.ts';
import { preferred } from '../../../../src/state/repair/precedence.ts';
import {
  complete,
  created,
  forgotten,
  intent,
  job,
  jobAfter,
  run,
  supplied,
} from '../../../model/lines.ts';
import { compact, journal, repaired } from '../../../tables/damaged.ts';

const paid = [run(), intent('a', 10), created('a', 12), complete('a', 12)];

test.each([
  ['that does not exist', 'head-swapp', 'there is no step kind "head-swapp"'],
  ['of a free step', 'upload', 'the step kind upload creates no projects'],
])('a paid job with a step kind %s keeps its project', (_, kind, why) => {
  const lines = compact(...paid).map((line) => line.replace('face-swap-photo', kind));
  const found = repaired(lines);
  expect(found.damages).toMatchObject([
    { line: 3, kind: 'schema', what: expect.stringContaining(why), job: job('a') },
  ]);
  expect(found.ledger.job(job('a'))).toMatchObject({
    kind: 'face-swap-photo',
    state: 'created',
    project: 'p-a',
    credits: 12,
  });
  expect(found.changes).toMatchObject([{ is: 'kept', project: 'p-a' }]);
});

test('an intent with a step kind that does not exist keeps the project that follows it', () => {
  const lines = journal(...paid.slice(0, 3)).map((line) => line.replace('face-swap-photo', 'x'));
  const found = repaired(lines);
  expect(found.damages[0]).toMatchObject({ line: 3, kind: 'schema' });
  expect(found.ledger.job(job('a'))).toMatchObject({ kind: 'face-swap-photo', project: 'p-a' });
});

test('a project of an unknown step kind never takes the kind of a free step: the proposal can be read', () => {
  const unknown = { ...jobAfter(intent(), created()), kind: 'unknown' };
  const free = jobAfter(supplied(), forgotten());
  const text = JSON.stringify(unknown);
  const line = parseLine(text);
  if (!line.ok || line.value.type !== 'job' || free === undefined) throw new Error(text);
  for (const found of [preferred(line.value.line, free), preferred(free, line.value.line)])
    expect(parseLine(JSON.stringify(found.line)).ok).toBe(true);
});
