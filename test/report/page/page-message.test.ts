// What an open page gets when a report changes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changed, type ReportChange, ReportText } from '../../../src/report/page/page-message.ts';
import type { ReportData, ReportItem } from '../../../src/report/page/report-data.ts';

const item = (key: string, credits = 0): ReportItem => ({
  ...{ key, state: credits > 0 ? 'done' : 'waiting', credits, tasks: [], inputs: [], outputs: [] },
});

const report = (items: readonly ReportItem[], more: Partial<ReportData> = {}): ReportData => ({
  ...{ pipeline: 'photos', at: '2026-11-22T09:12:00Z', rehearsal: true, running: false },
  ...{ inputs: true, steps: [], items, shared: item(''), runs: [], failures: [], doubts: [] },
  credits: { charged: 0, refunded: 0, reserved: 0 },
  spending: items.map(({ credits }, at) => ({ at, step: 0, credits })),
  ...more,
});

function changeBetween(before: ReportData, after: ReportData): ReportChange | undefined {
  const text = new ReportText(after).changeSince(new ReportText(before));
  if (text === undefined) return undefined;
  const change: ReportChange = JSON.parse(text);
  return change;
}

const anyReport = fc
  .record({
    items: fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.nat(2)), { maxLength: 6 }),
    running: fc.boolean(),
    description: fc.constantFrom('one', 'another "text"\n\u2028'),
  })
  .map(({ items, running, description }) =>
    report(
      items.map(([key, credits]) => item(key, credits)),
      { running, description },
    ),
  );

describe('a change of a report', () => {
  test('leads from any report to any other', () => {
    fc.assert(
      fc.property(anyReport, anyReport, (before, after) => {
        expect(JSON.parse(new ReportText(after).whole)).toEqual(after);
        const change = changeBetween(before, after);
        expect(change === undefined ? before : changed(before, change)).toEqual(after);
      }),
      { numRuns: 200 },
    );
  });

  test('holds only what changed, and leaves everything else as it was', () => {
    const before = report([item('a'), item('b'), item('c')]);
    const after = report([item('a'), item('b', 10), item('c')], { at: '2026-11-22T09:13:00Z' });
    const change = changeBetween(before, after);
    expect(change?.items).toEqual({ count: 3, changed: [[1, item('b', 10)]] });
    expect(Object.keys(change?.fields ?? {})).toEqual(['at']);
    const now = change === undefined ? undefined : changed(before, change);
    expect(now?.items[0]).toBe(before.items[0]);
    expect(now?.items[1]?.state).toBe('done');
  });

  test('is nothing if only the time passed', () => {
    const before = report([item('a', 1)]);
    expect(changeBetween(before, { ...before, at: '2026-11-22T09:13:00Z' })).toBeUndefined();
  });
});
