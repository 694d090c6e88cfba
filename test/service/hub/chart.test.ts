// What the picture of the credits shows.
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../../src/service/base/ledger-entry.ts';
import { pointsOf } from '../../../src/service/hub/pages/chart.ts';

const entry = (seq: number, kind: LedgerEntry['kind'], credits: number): LedgerEntry => ({
  ...{ seq, kind, credits, account: 'local', project: null, tool: null, name: null },
  at: new Date(Date.UTC(2026, 10, 1) + seq * 1000).toISOString(),
});

test('the balance after each entry: charges take, refunds and adjustments give', () => {
  const entries = [entry(1, 'adjustment', 100), entry(2, 'charge', 30), entry(3, 'refund', 30)];
  expect(pointsOf([...entries, entry(4, 'adjustment', -5)]).map(({ balance }) => balance)).toEqual([
    100, 70, 100, 95,
  ]);
});

test('of many entries some are left out, never the last', () => {
  const many = Array.from({ length: 10_001 }, (_, index) => entry(index + 1, 'adjustment', 1));
  const points = pointsOf(many);
  expect(points.length).toBeLessThan(650);
  expect(points[0]?.balance).toBe(1);
  expect(points.at(-1)?.balance).toBe(10_001);
});
