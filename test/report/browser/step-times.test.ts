// How long the tasks of each step took.
import { expect, test } from 'vitest';
import { stepTimes } from '../../../src/report/browser/step-times.ts';

const bar = (ms: number, step = 0, state: 'done' | 'failed' = 'done') =>
  ({ step, state, began: 1000, ended: 1000 + ms }) as const;

test('the median, and what 95 % of the tasks and all of them took at most', () => {
  const bars = Array.from({ length: 100 }, (_, index) => bar(100 - index));
  expect(stepTimes(bars)).toEqual([{ step: 0, tasks: 100, median: 50, most: 95, longest: 100 }]);
  expect(stepTimes([bar(7, 3)])).toEqual([{ step: 3, tasks: 1, median: 7, most: 7, longest: 7 }]);
});

test('steps are in their order; failed tasks and those without a known time do not count', () => {
  const bars = [bar(5, 1), bar(9, 1, 'failed'), bar(0, 1), bar(4)];
  expect(stepTimes(bars).map(({ step, tasks }) => [step, tasks])).toEqual([
    [0, 1],
    [1, 1],
  ]);
});
