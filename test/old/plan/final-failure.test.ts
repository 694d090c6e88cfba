// What a tick does not repeat.
import { expect, test } from 'vitest';
import type { JobLine } from '../../../src/model/line.ts';
import { finalFailure } from '../../../src/plan/decide.ts';

const failed = (code: string, more: Partial<JobLine> = {}): JobLine => ({
  ...{ job: 'f'.repeat(64), kind: 'photo-colorizer', state: 'failed', tasks: ['swap:a'] },
  ...{ attempt: 1, at: '2026-11-22T00:00:00.000Z', error: { code, message: 'm' } },
  ...more,
});

const project = { project: 'p' };

test.each([
  ['a refused request', failed('refused'), 'refused: m'],
  ['something that the plan lacks', failed('forbidden'), 'forbidden: m'],
  ['a project that cannot be rendered', failed('no_source_face', project), 'no_source_face: m'],
  ['the last attempt', failed('unknown_error', { ...project, attempt: 3 }), 'unknown_error: m'],
])('%s is left to a person', (_what, job, why) => {
  expect(finalFailure(job, 3)).toBe(why);
});

test.each([
  ['nothing', undefined],
  ['a temporary failure with attempts left', failed('unknown_error', project)],
  ['a busy service', failed('throttled')],
  ['a creation that was held back', failed('withheld')],
  ['an account without credits', failed('payment-required')],
  ['a forgotten job', failed('refused', { state: 'forgotten' })],
])('%s is not', (_what, job) => {
  expect(finalFailure(job, 3)).toBeUndefined();
});
