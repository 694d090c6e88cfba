// Which small pictures a report of very many items holds.
import { expect, test } from 'vitest';
import { chosenPictures } from '../../src/features/report/report.ts';
import type { ReportFile, ReportItem } from '../../src/report/page/report-data.ts';
import { item } from './browser/report-data.ts';

const file = (picture: number): ReportFile => ({
  ...{ name: `${picture}`, step: 0, medium: 'image', picture },
});
const photo = (number: number, state: ReportItem['state']): ReportItem =>
  item(`p${number}`, state, [], {
    inputs: [file(3 * number)],
    outputs: state === 'done' ? [file(3 * number + 1), file(3 * number + 2)] : [],
  });

test('first the inputs of what failed, then input and result of each item', () => {
  const items = [photo(0, 'done'), photo(1, 'done'), photo(2, 'failed')];
  const chosen = (most: number): readonly number[] => [
    ...chosenPictures({ items, shared: item('', 'done', []) }, most),
  ];
  expect(chosen(3)).toEqual([6, 0, 2]);
  expect(chosen(100)).toEqual([6, 0, 2, 3, 5, 1, 4]);
});
