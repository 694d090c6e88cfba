// Events that are missing: what failed before them may have been tried again in them, and so may have been paid.
import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../../../src/model/line.ts';
import {
  complete,
  created,
  ended,
  errored,
  forgotten,
  intent,
  numbered,
  refused,
  run,
  serves,
  supplied,
} from '../../../model/lines.ts';
import { compact, journal, json, repaired, stateOf } from '../../../tables/damaged.ts';

const failed = [run(), intent('a', 10), refused('a')];
const paid = (of: string): readonly NewEvent[] => [intent(of, 5), created(of, 5)];
const gone = (lines: readonly string[], ...numbers: readonly number[]): string[] =>
  lines.filter((_, index) => !numbers.includes(index + 1));
const cut = (lines: readonly string[], number: number, text: string): string[] =>
  lines.with(number - 1, text);

describe('a job that failed', () => {
  test('in a compacted line is in doubt after a gap, as is one that was forgotten', () => {
    const past = compact(...failed, ...paid('b'), complete('b', 5), forgotten('b'), ended);
    const events = json(numbered([run(2), supplied('c'), supplied('d')]));
    const found = repaired([...past, ...gone(events, 2)]);
    expect(found.gaps).toMatchObject([{ events: 1 }]);
    expect(stateOf(found, 'a')).toBe('doubt');
    expect(stateOf(found, 'b')).toBe('doubt');
    expect(repaired([...past, ...events]).changes).toEqual([]);
  });

  test('before a gap is in doubt, and after it is not', () => {
    const lines = journal(...failed, supplied('c'), ...paid('b'), errored('b'));
    const found = repaired(gone(lines, 5));
    expect(stateOf(found, 'a')).toBe('doubt');
    expect(stateOf(found, 'b')).toBe('failed');
  });

  test('with the very event that follows the gap is no doubt', () => {
    const lines = journal(run(), ...paid('b'), supplied('c'), errored('b'));
    expect(stateOf(repaired(gone(lines, 5)), 'b')).toBe('failed');
  });

  test('stays in doubt when another task joins it behind the gap', () => {
    const lines = journal(...failed, supplied('c'), serves('a'), ended);
    expect(stateOf(repaired(gone(lines, 5)), 'a')).toBe('doubt');
  });
});

describe('an end that cannot be read', () => {
  test('is a gap without an end where it does not say what it was about', () => {
    const lines = journal(...failed, supplied('c'));
    const found = repaired(cut(lines, 5, '{"seq":4,"ev#'));
    expect(found.gaps).toEqual([{ after: expect.any(String) }]);
    expect(stateOf(found, 'a')).toBe('doubt');
  });

  test('is none where it names its job', () => {
    const lines = journal(...failed, supplied('c'));
    const found = repaired(cut(lines, 5, (lines[4] ?? '').slice(0, -9)));
    expect(found.gaps).toEqual([]);
    expect(stateOf(found, 'a')).toBe('failed');
  });

  test('is none where an event follows that can be read', () => {
    const lines = journal(...failed, supplied('c'), supplied('d'));
    const found = repaired(cut(lines, 5, (lines[4] ?? '').slice(0, -9)));
    expect(found.gaps).toEqual([]);
    expect(stateOf(found, 'a')).toBe('failed');
  });
});

test('a line that cannot be read explains only the gap in which it stands', () => {
  const lines = journal(...failed, supplied('c'), supplied('d'), supplied('e'), supplied('f'));
  const torn = cut(lines, 5, (lines[4] ?? '').slice(0, -9));
  const found = repaired(gone(torn, 7));
  expect(found.gaps).toMatchObject([{ events: 1 }]);
  expect(stateOf(found, 'a')).toBe('doubt');
});
