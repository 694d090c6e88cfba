// The number of an attempt: one that the service never looked at is not counted.
import { expect, test } from 'vitest';
import { nextAttempt } from '../../src/model/attempt.ts';
import type { JobLine } from '../../src/model/line.ts';
import { jobLine } from '../tables/plan-world.ts';

const failedWith = (code?: string): JobLine =>
  jobLine('failed', {
    attempt: 3,
    ...(code === undefined ? {} : { error: { code, message: '' } }),
  });

test.each<readonly [string, JobLine | undefined, number]>([
  ['a job that nobody has begun', undefined, 1],
  ['an attempt that failed', failedWith('no_source_face'), 4],
  ['an attempt that failed for an unknown reason', failedWith(), 4],
  ['an attempt that an outage spared', failedWith('outage'), 3],
  ['an attempt that was withheld', failedWith('withheld'), 3],
  ['an attempt that was forgotten', jobLine('forgotten', { attempt: 3 }), 4],
  [
    'an attempt that was forgotten after an outage',
    jobLine('forgotten', { attempt: 3, error: { code: 'outage', message: '' } }),
    4,
  ],
])('after %s comes the right attempt', (_, job, next) => {
  expect(nextAttempt(job)).toBe(next);
});
