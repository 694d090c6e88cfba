// The table of all tasks: its order, and its CSV.
import { expect, test } from 'vitest';
import {
  csvOf,
  filteredRows,
  sortedRows,
  taskRows,
} from '../../../src/report/browser/task-rows.ts';
import { item, reportOf } from './report-data.ts';

const rows = taskRows(
  reportOf([
    item('p10.png', 'done', [{ step: 1, state: 'done', credits: 5, began: 1_000, ended: 4_500 }]),
    item('p2.png', 'failed', [
      { step: 0, state: 'done' },
      { step: 1, state: 'failed', why: 'says "no",\nand no more', project: 'x-1' },
    ]),
    item('=HYPERLINK("http://x")', 'done', [{ step: 1, state: 'done', credits: 7 }]),
  ]),
);
const keys = (found: typeof rows): readonly string[] => found.map((row) => row.item);

test('sorts numbers as numbers, and names as people count', () => {
  expect(keys(sortedRows(rows, { column: 'credits', down: true })).slice(0, 2)).toEqual([
    ...['=HYPERLINK("http://x")', 'p10.png'],
  ]);
  const byItem = keys(sortedRows(rows, { column: 'item', down: false }));
  expect(byItem.indexOf('p2.png')).toBeLessThan(byItem.indexOf('p10.png'));
  expect(keys(sortedRows(rows, { column: 'time', down: true }))[0]).toBe('p10.png');
  expect(sortedRows(rows, undefined)).toBe(rows);
});

test('shows the tasks of a state, of a step, and with all words', () => {
  const find = (state: 'failed' | 'all', step: number, text: string): readonly string[] =>
    keys(filteredRows(rows, { state, step, text }));
  expect(find('failed', -1, '')).toEqual(['p2.png']);
  expect(find('all', 0, '')).toEqual(['p2.png']);
  expect(find('all', -1, 'NO more x-1')).toEqual(['p2.png']);
});

test('writes CSV that a spreadsheet reads as text, and never as a formula', () => {
  expect(csvOf(rows)).toBe(
    [
      'step,item,state,credits,began,seconds,project,why',
      'swap,p10.png,done,5,1970-01-01T00:00:01.000Z,3.5,,',
      'photo,p2.png,done,0,,,,',
      'swap,p2.png,failed,0,,,x-1,"says ""no"",\nand no more"',
      `swap,"'=HYPERLINK(""http://x"")",done,7,,,,`,
      '',
    ].join('\r\n'),
  );
});
