// Two sides of a merge, each way round: what both know is kept once, and what they disagree about is told.
import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../../../src/model/line.ts';
import type { Repair } from '../../../../src/state/repair/proposal.ts';
import {
  created,
  doubted,
  ended,
  forgotten,
  intent,
  job,
  run,
  supplied,
} from '../../../model/lines.ts';
import { compact, conflict, header, json, repaired } from '../../../tables/damaged.ts';

const first = JSON.stringify(header);
const start = compact(run(), ended).slice(1);
const side = (...events: readonly NewEvent[]): string[] =>
  compact(run(), ...events, ended).slice(1);
const merged = (ours: readonly string[], theirs: readonly string[], base = start): Repair =>
  repaired(conflict([first], ours, theirs, base));
const failed = (task: string, why: string): NewEvent => ({ event: 'failed', task, why });
const disagreements = ({ damages }: Repair): readonly string[] =>
  damages.filter(({ kind }) => kind === 'disagree').map(({ what }) => what);

test('tasks that failed on either side are kept, and of both ours says why', () => {
  const found = merged(
    side(failed('x', 'one'), failed('y', 'ours')),
    side(failed('y', 'theirs'), failed('z', 'two')),
  );
  expect(found.ledger.tasks().map(({ task, why }) => [task, why])).toEqual([
    ['x', 'one'],
    ['y', 'ours'],
    ['z', 'two'],
  ]);
});

describe('a job on both sides', () => {
  test('that is free and done on both is not worth a word', () => {
    const found = merged(side(supplied()), side(supplied(), supplied()));
    expect(disagreements(found)).toEqual([]);
    expect(found.ledger.job(job('a'))?.state).toBe('supplied');
  });

  test.each([
    [
      'ours',
      side(supplied()),
      side(supplied(), forgotten()),
      'ours says supplied, theirs forgotten',
    ],
    [
      'theirs',
      side(supplied(), forgotten()),
      side(supplied()),
      'ours says forgotten, theirs supplied',
    ],
  ])('that is free and done on %s alone is told', (_, ours, theirs, what) => {
    const found = merged(ours, theirs);
    expect(disagreements(found)).toEqual([expect.stringContaining(what)]);
    expect(found.ledger.job(job('a'))?.state).toBe('supplied');
  });

  test('that is paid on one and in doubt on the other is told with its project, at the conflict', () => {
    const found = merged(side(intent(), created()), side(intent(), doubted()));
    expect(found.damages).toContainEqual(
      expect.objectContaining({
        ...{ line: 2, kind: 'disagree', job: job('a'), tasks: ['swap:a'] },
        what: expect.stringContaining('ours says created (project p-a), theirs doubt'),
      }),
    );
  });
});

describe('a line that cannot be read', () => {
  test('on one side says nothing of the other', () => {
    const lost = side(intent(), doubted()).map((line) =>
      line.includes('"job"') ? line.slice(0, line.indexOf('"attempt"')) : line,
    );
    for (const found of [merged(lost, side(supplied('b'))), merged(side(supplied('b')), lost)]) {
      expect(found.changes).toMatchObject([{ job: job('a'), is: 'in doubt' }]);
      expect(disagreements(found)).toEqual([]);
    }
  });
});

describe('runs', () => {
  const line = (number: number, at: string, charged = 0, end?: string): object => ({
    ...{ run: number, at, charged, refunded: 0, ...(end === undefined ? {} : { ended: end }) },
  });
  const runsOf = (ours: readonly object[], theirs: readonly object[]) =>
    merged(json(ours), json(theirs), [])
      .ledger.runs()
      .map(({ run: number, at, charged }) => [number, at, charged]);

  test('of one number that began at different times are two, in the order of their beginning', () => {
    for (const [ours, theirs] of [
      [[line(1, 'b', 3)], [line(1, 'a', 4)]],
      [[line(1, 'a', 4)], [line(1, 'b', 3)]],
    ] as const)
      expect(runsOf(ours, theirs)).toEqual([
        [1, 'a', 4],
        [2, 'b', 3],
      ]);
  });

  test('that began at one time are one: another merge gave it another number', () => {
    for (const [ours, theirs] of [
      [[line(2, 'a', 3)], [line(1, 'a', 4)]],
      [[line(1, 'a', 4)], [line(2, 'a', 3)]],
    ] as const)
      expect(runsOf(ours, theirs)).toEqual([[1, 'a', 7]]);
  });

  test('that both sides know alike are one', () => {
    expect(runsOf([line(1, 'a', 4, 'z')], [line(1, 'a', 4, 'z')])).toEqual([[1, 'a', 4]]);
  });

  test('that one side has not ended go on', () => {
    const base = json([line(1, 'a', 1)]);
    const [open, over] = [json([line(1, 'a', 2)]), json([line(1, 'a', 3, 'z')])];
    for (const found of [merged(open, over, base), merged(over, open, base)])
      expect(found.ledger.runs()).toStrictEqual([{ run: 1, at: 'a', charged: 4, refunded: 0 }]);
  });
});
