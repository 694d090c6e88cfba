// What each of two runs did.
import { expect, test } from 'vitest';
import { barsOf } from '../../../src/report/browser/bars.ts';
import { runFacts } from '../../../src/report/browser/two-runs.ts';
import { item, reportOf } from './report-data.ts';

const at = (seconds: number): number => Date.parse('2026-11-20T10:00:00Z') + seconds * 1000;
const iso = (seconds: number): string => new Date(at(seconds)).toISOString();

test('a task counts for the run in which it ended, with its credits', () => {
  const task = (from: number, to: number) =>
    ({ step: 1, state: 'done', began: at(from), ended: at(to) }) as const;
  const data = reportOf(
    [item('a', 'done', [task(1, 5)]), item('b', 'done', [task(101, 103), task(102, 108)])],
    {
      runs: [
        { run: 1, at: iso(0), ended: iso(10), charged: 5, refunded: 0 },
        { run: 2, at: iso(100), ended: iso(110), charged: 10, refunded: 0 },
      ],
      spending: [
        { at: at(1), step: 1, credits: 5 },
        { at: at(101), step: 1, credits: 10 },
        { at: at(102), step: -1, credits: 3 },
      ],
    },
  );
  const factsOf = (index: number) => {
    const run = data.runs[index];
    if (run === undefined) throw new Error('no such run');
    const { took, done, failed, steps } = runFacts(data, barsOf(data), run);
    return { took, done, failed, swap: steps.get(1) };
  };
  expect([factsOf(0), factsOf(1)]).toEqual([
    { took: 10_000, done: 1, failed: 0, swap: { done: 1, credits: 5, median: 4_000 } },
    { took: 10_000, done: 2, failed: 0, swap: { done: 2, credits: 10, median: 2_000 } },
  ]);
});
