// When a job happened, by its line.
import { expect, test } from 'vitest';
import { chargedAt, timesOf } from '../../src/model/job-times.ts';
import type { JobView } from '../../src/model/job-view.ts';
import { job } from './lines.ts';

const ms = (time: string): number => Date.parse(`2026-11-20T${time}Z`);

const line = (more: Partial<JobView>): JobView => ({
  ...{ job: job('a'), kind: 'face-swap-photo', state: 'complete', tasks: ['swap:a'] },
  ...{ outputs: [], past: [] },
  at: '2026-11-20T10:05:00Z',
  ...more,
});

test('a complete job began when its project was created, and ended a day before its address ran out', () => {
  const complete = line({
    result: { created_at: '2026-11-20T10:00:00Z' },
    expires: '2026-11-21T10:04:00Z',
  });
  expect(timesOf(complete)).toEqual({ began: ms('10:00:00'), ended: ms('10:04:00') });
  expect(chargedAt(complete)).toBe(ms('10:00:00'));
});

test.each([
  ['nothing is told', {}, { ended: ms('10:05:00') }],
  [
    'the service says that a project was created after it was read',
    { result: { created_at: '2026-11-20T11:00:00Z' } },
    { ended: ms('10:05:00') },
  ],
  [
    'an address runs out earlier than a day after the creation',
    { result: { created_at: '2026-11-20T10:00:00Z' }, expires: '2026-11-21T09:00:00Z' },
    { began: ms('10:00:00'), ended: ms('10:05:00') },
  ],
  [
    'a time is none',
    { result: { created_at: 'soon' }, expires: 'later' },
    { ended: ms('10:05:00') },
  ],
  ['it still renders', { state: 'created' }, { began: ms('10:05:00') }],
] as const)('where %s, only the time of its state counts', (_case, more, times) => {
  expect(timesOf(line(more))).toEqual(times);
});
