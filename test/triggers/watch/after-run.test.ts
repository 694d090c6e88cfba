// What a watch does after a run: which items wait, and when the rest is tried again.
import { expect, test } from 'vitest';
import type { RunEvent, Summary } from '../../../src/run/run-event.ts';
import { summaryOf as summaryOfTally } from '../../../src/run/summary.ts';
import { Tally } from '../../../src/run/tally.ts';
import { FailedItems, pauseBefore, restOf } from '../../../src/triggers/watch/watch-loop.ts';
import { cutPipeline } from '../../e2e/watched.ts';
import { pipelineOf } from '../../language/check.ts';

const summaryOf = (more: Partial<Summary>): Summary => ({
  ...summaryOfTally(new Tally(), 'done', {
    ...{ items: 1, elapsedMs: 0, credits: { charged: 0, refunded: 0, reserved: 0 } },
  }),
  ...more,
});

test.each([
  [{ stoppedBy: 'outage' }, { next: 'again' }],
  [{ stoppedBy: 'machine' }, { next: 'again' }],
  [{ stoppedBy: 'credits' }, { next: 'again' }],
  [{ stoppedBy: 'budget' }, { next: 'changes' }],
  [
    { stoppedBy: 'budget', resumesAt: '2026-08-06T00:00:00.000Z' },
    { next: 'at', at: Date.parse('2026-08-06T00:00:00.000Z') },
  ],
  [
    { stoppedBy: 'failures', stopped: 'too many' },
    { next: 'never', why: 'too many' },
  ],
  [{}, { next: 'changes' }],
] as const)('after %j: %j', (more, rest) => {
  expect(restOf(summaryOf(more), false)).toEqual(rest);
});

test('a paid result that could not be saved, and a project that is not finished, are tried again', () => {
  const { tasks } = summaryOf({});
  expect(restOf(summaryOf({}), true)).toEqual({ next: 'again' });
  expect(restOf(summaryOf({ tasks: { ...tasks, pending: 1 } }), false)).toEqual({ next: 'again' });
});

test('an item waits if it failed, unless it has a result to save', () => {
  const failed = new FailedItems(pipelineOf(cutPipeline).steps);
  const task = (step: string, item: string, ending: 'failed' | 'done'): RunEvent => ({
    ...{ type: 'task', task: `${step}:${item}`, item, step, ending, credits: 0 },
  });
  failed.hear(task('cut', 'a', 'failed'));
  failed.hear(task('save', 'b', 'failed'));
  failed.hear(task('cut', 'c', 'done'));
  expect([...failed.waiting]).toEqual(['a']);
  expect([...failed.all]).toEqual(['a', 'b']);
  expect(failed.hasUnsaved).toBe(true);
});

test('the pauses double up to a quarter of an hour', () => {
  expect([0, 1, 2, 3, 4, 50].map((times) => pauseBefore(times) / 60_000)).toEqual([
    ...[1, 2, 4, 8, 15, 15],
  ]);
});
