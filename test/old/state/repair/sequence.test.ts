// The events of a damaged journal in the order of their numbers, and where an unreadable line stands among them.
import { describe, expect, test } from 'vitest';
import { examine } from '../../../../src/state/repair/damage.ts';
import type { Fields } from '../../../../src/state/repair/fragments.ts';
import { isAboutNoJob, type Sequence, sequenceOf } from '../../../../src/state/repair/salvage.ts';
import {
  compacted,
  complete,
  created,
  folded,
  intent,
  numbered,
  run,
  supplied,
} from '../../../model/lines.ts';
import { header, json, raw } from '../../../tables/damaged.ts';

const first = JSON.stringify(header);
const [one = '', two = '', three = '', four = ''] = json(
  numbered([run(), supplied(), supplied('b'), supplied('c')]),
);
const [past = ''] = json([...compacted(folded([intent(), created(), complete()])).jobs()]);

function sequence(lines: readonly string[]): Sequence {
  const { reads, unread } = examine(raw([first, ...lines]));
  return sequenceOf({ name: 'the file', reads, unread });
}
/** The events by their numbers; a line that cannot be read by its line number. */
const orderOf = ({ entries }: Sequence): readonly (number | string)[] =>
  entries.map((entry) => (entry.is === 'event' ? entry.event.seq : `line ${entry.number}`));

test.each<readonly [string, readonly string[], readonly (number | string)[], readonly string[]]>([
  ['in order', [one, two, three], [1, 2, 3], []],
  ['out of order', [one, three, two], [1, 2, 3], ['event 2 follows event 3']],
  ['twice', [one, two, two, three], [1, 2, 3], ['event 2 is here twice']],
  ['three times', [one, two, two, two], [1, 2], ['event 2 is here twice', 'event 2 is here twice']],
  [
    'with one number',
    [one, two, four.replace('"seq":4', '"seq":2')],
    [1, 2, 2],
    ['another event with the number 2'],
  ],
  ['with an unreadable line between them', [one, '{"event":"x",#', three], [1, 'line 3', 3], []],
  [
    'with two unreadable lines behind each other',
    [one, '{"event":"x",#', '{"event":"y",#', two],
    [1, 'line 3', 'line 4', 2],
    [],
  ],
  ['with an unreadable line at the end', [one, two, '{"event":"x",#'], [1, 2, 'line 4'], []],
  ['with an unreadable line before them', ['{"event":"x",#', one], ['line 2', 1], []],
  ['with an unreadable line that says its number', [one, '{"seq":3,#', two], [1, 2, 'line 3'], []],
])('events %s', (_, lines, order, damages) => {
  const found = sequence(lines);
  expect(orderOf(found)).toEqual(order);
  expect(found.damages.map(({ what }) => what)).toEqual(damages);
});

describe('an unreadable line', () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['that says which event it is', ['{"event":"x",#', past], []],
    ['that says which number it has', ['{"seq":1,#', past], []],
    ['behind an event', [one, '#'], []],
    ['behind an event, with a state', [one, '{"state":"failed",#'], ['3']],
    ['behind an event, with tasks', [one, '{"tasks":["a"],#'], ['3']],
    ['before every event', ['#', one], ['2']],
    ['where there is no event', [past, '#'], ['3']],
  ])('%s is an event or not', (_, lines, others) => {
    expect(sequence(lines).others.map(({ number }) => String(number))).toEqual(others);
  });

  test('of nothing but zeros at the end is one: events may have stood there', () => {
    expect(sequence([past, '\0\0']).others).toEqual([]);
    expect(orderOf(sequence([past, '\0\0']))).toEqual(['line 3']);
  });
});

test('the first event is known by its line', () => {
  expect(sequence([past, one, two]).first).toBe(3);
  expect(sequence([past]).first).toBe(Number.POSITIVE_INFINITY);
});

test.each<readonly [Fields, boolean]>([
  [{ event: 'run' }, true],
  [{ event: 'ended' }, true],
  [{ event: 'skipped' }, true],
  [{ event: 'created' }, false],
  [{ event: 'conjured' }, false],
  [{}, false],
])('%j is about no job: %s', (fields, expected) => {
  expect(isAboutNoJob(fields)).toBe(expected);
});
