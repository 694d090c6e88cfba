// The data of a report of two steps, for tests of what the page does with it.
import type { ReportData, ReportItem, ReportTask } from '../../../src/report/page/report-data.ts';

export const item = (
  key: string,
  state: ReportItem['state'],
  tasks: readonly ReportTask[],
  more: Partial<ReportItem> = {},
): ReportItem => ({ key, state, tasks, credits: 0, inputs: [], outputs: [], ...more });

const step = { kind: 'upload', title: 'Upload', operation: 'upload', stage: 'item' } as const;

export const reportOf = (
  items: readonly ReportItem[],
  more: Partial<ReportData> = {},
): ReportData => ({
  ...{
    pipeline: 'photos',
    at: '2026-11-20T10:10:00Z',
    rehearsal: false,
    running: false,
    inputs: true,
  },
  steps: ['photo', 'swap'].map((name) => ({ ...step, name, after: [], tasks: {}, credits: 0 })),
  ...{ items, shared: item('', 'done', []), runs: [], spending: [], failures: [], doubts: [] },
  credits: { charged: 0, reserved: 0 },
  ...more,
});
