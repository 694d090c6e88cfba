// Damaged files with rows: what a row says is not lost with its template, and a row that was cut still tells of its payment.
import { describe, expect, test } from 'vitest';
import type { JobLine } from '../../../../src/model/line.ts';
import { lineText } from '../../../../src/model/line.ts';
import { RowWriter } from '../../../../src/model/rows.ts';
import type { Repair } from '../../../../src/state/repair/proposal.ts';
import { job } from '../../../model/lines.ts';
import { photoJobs } from '../../../model/photo-jobs.ts';
import { conflict, header, repaired } from '../../../tables/damaged.ts';

const swaps: readonly JobLine[] = Array.from({ length: 40 }, (_, index) => photoJobs(index)[2]);
const runLine = { run: 1, at: '2026-08-05T10:00:00.000Z', charged: 400, refunded: 0, ended: 'x' };

function file(jobs = swaps): string[] {
  const rows = new RowWriter();
  return [header, runLine]
    .map(lineText)
    .concat(jobs.flatMap((line) => rows.text(line).split('\n')));
}

const lines = file();
/** Header, run, and 32 jobs in full come first. */
const template = 34;
const changed = (index: number, change: (line: string) => string): readonly string[] =>
  lines.with(index, change(lines[index] ?? ''));
const kinds = ({ damages }: Repair): readonly string[] => damages.map(({ kind }) => kind);
const lastSwap = (found: Repair): JobLine | undefined => found.ledger.job(job('swap 39'));

test('an intact file has nothing to repair', () => {
  const found = repaired(lines);
  expect(found.damages).toEqual([]);
  expect([...found.ledger.jobs()]).toEqual(swaps);
});

test.each<readonly [string, readonly string[]]>([
  ['that is gone', lines.toSpliced(template, 1)],
  ['that was cut', changed(template, (line) => line.slice(0, 90))],
  ['that was edited', changed(template, (line) => line.replace('"attempt":1', '"attempt":2'))],
])('a template %s is made again from the jobs that are there in full', (_, damaged) => {
  const found = repaired(damaged);
  expect([...found.ledger.jobs()]).toEqual(swaps);
});

test('rows without any template are in doubt, and keep the names of their jobs', () => {
  const found = repaired([...lines.slice(0, 2), ...lines.slice(template + 1)]);
  expect(found.damages).toHaveLength(8);
  expect(found.damages.map((damage) => damage.job)).toContain(job('swap 39'));
});

describe('a damaged row', () => {
  const last = lines.length - 1;

  test('that was cut after its project keeps the payment', () => {
    const found = repaired(changed(last, (row) => row.slice(0, row.indexOf('86'))));
    expect(lastSwap(found)).toMatchObject({ state: 'deleted', project: 'p39-mwsyxmxn' });
    expect(found.ledger.size).toBe(40);
  });

  test('that was cut after its fingerprint is in doubt', () => {
    const found = repaired(changed(last, (row) => row.slice(0, 75)));
    expect(lastSwap(found)).toMatchObject({
      state: 'doubt',
      tasks: ['swap:p000039.jpg', 'tidy:p000039.jpg'],
    });
  });

  test('that is joined to the row before is read', () => {
    const joined = [...lines.slice(0, -2), lines.slice(-2).join('')];
    const found = repaired(joined);
    expect(kinds(found)).toEqual(['glued']);
    expect([...found.ledger.jobs()]).toEqual(swaps);
  });

  test('of a name that no template has still names its job', () => {
    const found = repaired(changed(last, (row) => row.replace(/\w{6}/, 'zzzzzz')));
    expect(found.damages).toMatchObject([{ job: job('swap 39') }]);
  });
});

test('both sides of a conflict are read, also if only one of them has the template', () => {
  const theirs = file(swaps.map((line) => ({ ...line, state: 'complete' })));
  const found = repaired(
    conflict(lines.slice(0, 2), lines.slice(2), theirs.slice(2), lines.slice(2)),
  );
  expect(kinds(found)).toEqual(['conflict']);
  expect(found.ledger.size).toBe(40);
  expect(found.ledger.total.charged).toBe(400);
});
