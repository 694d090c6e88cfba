// The bars of the timeline.
import { describe, expect, test } from 'vitest';
import { barsOf, lanesOf, spanOf, stepTimes } from '../../../src/report/browser/bars.ts';
import { item, reportOf } from './report-data.ts';

const at = (seconds: number): number => Date.parse('2026-11-20T10:00:00Z') + seconds * 1000;
const bar = (began: number, ended: number, step = 0) =>
  ({ step, state: 'done', began: at(began), ended: at(ended) }) as const;

describe('bars', () => {
  test('are the tasks with a time, the earliest first; what another task pays for has none', () => {
    const data = reportOf([
      item('a', 'done', [
        { step: 1, state: 'done', began: at(5), ended: at(9) },
        { step: 0, state: 'done', ended: at(4) },
        { step: 1, state: 'done', began: at(5), ended: at(9), shares: true },
        { step: 1, state: 'waiting' },
      ]),
    ]);
    expect(barsOf(data)).toEqual([bar(4, 4), bar(5, 9, 1)]);
  });

  test('of tasks that still run end when the report was made', () => {
    const data = reportOf([item('a', 'running', [{ step: 1, state: 'running', began: at(30) }])]);
    expect(barsOf(data)).toEqual([{ ...bar(30, 600, 1), state: 'running' }]);
  });

  test('of a run are those that ended in it', () => {
    const run = { at: '2026-11-20T10:01:00Z', charged: 0 };
    const bars = [bar(0, 30), bar(0, 70), bar(100, 200)];
    expect(spanOf(bars, { ...run, ended: '2026-11-20T10:02:00Z' })).toEqual([bars[1]]);
    expect(spanOf(bars, run)).toEqual(bars.slice(1));
    expect(spanOf(bars, undefined)).toEqual(bars);
  });
});

describe('a lane', () => {
  test('has bars of one step, those at the same time in rows of their own', () => {
    const lanes = lanesOf([bar(0, 10), bar(1, 3), bar(4, 6), bar(2, 5, 1)]);
    expect(lanes.map(({ step, depth }) => ({ step, depth }))).toEqual([
      { step: 0, depth: 2 },
      { step: 1, depth: 1 },
    ]);
    expect(lanes[0]?.rows.map(({ row }) => row)).toEqual([0, 1, 1]);
  });

  test('of very many bars at once stays readable', () => {
    const many = Array.from({ length: 100 }, () => bar(0, 10));
    const [lane] = lanesOf(many);
    expect(lane?.depth).toBe(40);
    expect(lane?.rows).toHaveLength(100);
  });
});

describe('the times of steps', () => {
  const timed = (ms: number, step = 0, state: 'done' | 'failed' = 'done') =>
    ({ step, state, began: 1000, ended: 1000 + ms }) as const;

  test('the median, and what 95 % of the tasks and all of them took at most', () => {
    const bars = Array.from({ length: 100 }, (_, index) => timed(100 - index));
    expect(stepTimes(bars)).toEqual([{ step: 0, tasks: 100, median: 50, most: 95, longest: 100 }]);
    expect(stepTimes([timed(7, 3)])).toEqual([
      { step: 3, tasks: 1, median: 7, most: 7, longest: 7 },
    ]);
  });

  test('steps are in their order; failed tasks and those without a known time do not count', () => {
    const bars = [timed(5, 1), timed(9, 1, 'failed'), timed(0, 1), timed(4)];
    expect(stepTimes(bars).map(({ step, tasks }) => [step, tasks])).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });
});
