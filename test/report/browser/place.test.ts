// The address of a place in the page.
import { expect, test } from 'vitest';
import { noFilter } from '../../../src/report/browser/filter.ts';
import { hashOf, type Place, placeIn } from '../../../src/report/browser/place.ts';
import { reportOf } from './report-data.ts';

const data = reportOf([]);

test('an address leads to the place that it was made for', () => {
  const place: Place = {
    tab: 'tasks',
    filter: { state: 'blocked', step: 1, text: 'a & b = ü#?' },
    item: 'x/<y>?&#.png',
    order: { column: 'credits', down: true },
    run: '2026-11-20T10:00:00.000Z',
  };
  const hash = hashOf(place, data);
  expect(hash).toMatch(/^#tasks\?[!-~]+$/);
  expect(placeIn(hash, data)).toEqual(place);
});

test('what an address does not say, or says wrong, is as in the beginning', () => {
  const beginning = { tab: 'gallery', filter: noFilter };
  for (const hash of ['', '#', '#x', '#gallery?state=x&step=x&order=x', '#%E0%A4%A'])
    expect(placeIn(hash, data)).toEqual({
      ...beginning,
      ...{ item: undefined, order: undefined, run: undefined },
    });
  expect(hashOf({ tab: 'gallery', filter: noFilter }, data)).toBe('#gallery');
});
