// How long a plan may take.
import { expect, test } from 'vitest';
import { forecastOf } from '../../src/core/forecast.ts';
import type { PlanRow } from '../../src/core/plan-table.ts';

/** Its median is four seconds. */
const kind = 'face-swap-photo';
const row = (tasks: PlanRow['tasks'], more: Partial<PlanRow> = {}): PlanRow => ({
  ...{ step: 'swap', kind, tasks, credits: 0, unpriced: 0 },
  ...more,
});
const limits = { items: 16, steps: {}, outageMs: 0 };
const terms = { limits, generations: 5, usual: {} };

test('is the work of all projects, at as many at once as the account allows', () => {
  expect(forecastOf([row({ begin: 90, maybe: 9, attach: 1, reuse: 50 })], terms)).toEqual({
    ...{ ms: 80_000, atOnce: 5, limit: 'plan', fromHistory: false },
  });
  expect(forecastOf([row({ begin: 160 })], { ...terms, generations: undefined })).toMatchObject({
    ...{ ms: 40_000, atOnce: 16, limit: 'items' },
  });
});

test('is never shorter than one item, nor than the limit of a step kind allows', () => {
  const after = row({ begin: 1 }, { step: 'up' });
  expect(forecastOf([row({ begin: 1 }), after], terms)?.ms).toBe(8000);
  const slow = { ...terms, limits: { ...limits, steps: { [kind]: 1 } } };
  expect(forecastOf([row({ begin: 10 })], slow)?.ms).toBe(40_000);
});

test('is not known without work, and where only the run will know how much', () => {
  expect(forecastOf([row({ reuse: 3 })], terms)).toBeUndefined();
  const open = row({ maybe: 1 }, { uncounted: { fanOuts: 1, each: 10 } });
  expect(forecastOf([open], terms)).toBeUndefined();
});

test('counts a fan-out with the most elements that it may have', () => {
  const fan = row({ maybe: 10 }, { times: { least: 1, most: 4, open: true } });
  expect(forecastOf([fan], terms)?.ms).toBe(32_000);
});

test('follows what earlier projects of the tool took', () => {
  const usual = { [kind]: 8000 };
  expect(forecastOf([row({ begin: 100 })], { ...terms, usual })).toMatchObject({
    ...{ ms: 160_000, fromHistory: true },
  });
  const another = { 'ai-gif-generator': 8000 };
  expect(forecastOf([row({ begin: 1 })], { ...terms, usual: another })?.fromHistory).toBe(false);
});
