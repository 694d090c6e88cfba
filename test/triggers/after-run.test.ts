// What a watch does after a run: which items wait, and whether the rest is tried again.
import { expect, test } from 'vitest';
import type { RunEvent, Summary } from '../../src/core/run-event.ts';
import { RunView } from '../../src/core/run-view.ts';
import { summaryOf as summaryOfView } from '../../src/core/summary.ts';
import { FailedItems, restOf } from '../../src/triggers/watch/watch.ts';
import { cutPipeline } from '../e2e/watched.ts';
import { pipelineOf } from '../language/check.ts';

const summaryOf = (more: Partial<Summary>): Summary => ({
  ...summaryOfView(new RunView({ pipeline: 'p', speed: 1, began: 0 }), 'done', {
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
  [{ stoppedBy: 'failures' }, { next: 'paused' }],
  [{ stoppedBy: 'unanswered' }, { next: 'paused' }],
  [{}, { next: 'changes' }],
] as const)('after %j: %j', (more, rest) => {
  expect(restOf(summaryOf(more), false)).toMatchObject(rest);
});

test('a paid result that could not be saved, and a project that is not finished, are tried again', () => {
  const { tasks } = summaryOf({});
  expect(restOf(summaryOf({}), true)).toMatchObject({ next: 'again' });
  const pending = summaryOf({ tasks: { ...tasks, pending: 1 } });
  expect(restOf(pending, false)).toMatchObject({ next: 'again', progress: false });
  const progress = summaryOf({ tasks: { ...tasks, pending: 1, done: 1 } });
  expect(restOf(progress, false)).toMatchObject({ next: 'again', progress: true });
});

test('an item waits if it failed, unless it has a result to save', () => {
  const failed = new FailedItems();
  const { steps } = pipelineOf(cutPipeline);
  const task = (step: string, item: string, ending: 'failed' | 'done'): RunEvent => ({
    ...{ type: 'task', task: `${step}:${item}`, item, step, ending, credits: 0 },
  });
  failed.hear(task('cut', 'a', 'failed'), steps);
  failed.hear(task('save', 'b', 'failed'), steps);
  failed.hear(task('cut', 'c', 'done'), steps);
  expect([...failed.waiting]).toEqual(['a']);
  expect([...failed.all]).toEqual(['a', 'b']);
  expect([...failed.unsaved]).toEqual(['b']);
});
