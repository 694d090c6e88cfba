import { expect, test } from 'vitest';
import { runBudgetText } from '../../../src/report/browser/masthead.ts';
import { reportOf } from './report-data.ts';

const at = '2026-11-01T10:00:00.000Z';
const run = (charged: number) => ({ at, charged });

test('a budget is compared with what one run was charged, and not with what all were', () => {
  const data = {
    ...reportOf([]),
    credits: { charged: 540, reserved: 0, budget: 400 },
    runs: [run(220), run(320)],
  };
  expect(runBudgetText(data, undefined)).toBe('last run: 320 of 400 budget');
  const pulse = { elapsedMs: 1, charged: 30, budget: 50, stage: 'working', atWork: [] } as const;
  expect(runBudgetText(data, pulse)).toBe('this run: 30 of 50 budget');
  expect(runBudgetText({ ...data, runs: [] }, undefined)).toBeUndefined();
});
