// When a step that gathers takes its turn: with the whole list, or not at all.
import { describe, expect, test } from 'vitest';
import type { Phase } from '../../../src/plan/ending.ts';
import { type Gathering, gatherTurn, isFinal } from '../../../src/plan/turn.ts';

const of = (...phases: readonly Phase[]): readonly Gathering['contributors'][number][] =>
  phases.map((phase, index) => ({ task: `photo:${index}`, phase, isFinal: true }));

const turn = (
  contributors: Gathering['contributors'],
  {
    onMissing = 'fail',
    rest = 'done',
  }: { onMissing?: 'fail' | 'skip'; rest?: Gathering['rest'] } = {},
): unknown => gatherTurn('photo', onMissing, { contributors, rest });

describe('a step that gathers', () => {
  test('starts when all are done', () => {
    expect(turn(of('done', 'done'))).toBe('start');
  });

  test.each(['waiting', 'started'] as const)('waits while one is %s', (phase) => {
    expect(turn(of('failed', phase), { onMissing: 'skip' })).toBeUndefined();
  });

  test('waits while more may come', () => {
    expect(turn(of('done'), { rest: 'waiting' })).toBeUndefined();
  });

  test.each([
    ['failed', 'photo:1 has failed, and on_missing is fail'],
    ['blocked', 'photo:1 is blocked, and on_missing is fail'],
    ['skipped', 'photo:1 is skipped, and on_missing is fail'],
  ] as const)('is blocked where one is %s, or leaves it out', (phase, why) => {
    expect(turn(of('done', phase))).toEqual({ ending: 'blocked', why });
    expect(turn(of('done', phase), { onMissing: 'skip' })).toBe('start');
  });

  test.each(['fail', 'skip'] as const)(
    'never takes a part of what is to come (on_missing: %s)',
    (onMissing) => {
      const open = [...of('done'), { task: 'photo:1', phase: 'blocked' as const, isFinal: false }];
      expect(turn(open, { onMissing })).toEqual({ ending: 'blocked', why: 'waits for photo:1' });
      for (const phase of ['rendering', 'later'] as const)
        expect(turn(of('done', phase), { onMissing })).toEqual({
          ending: 'later',
          why: 'waits for photo:1',
        });
      expect(turn(of('done', 'excluded'), { onMissing })).toEqual({
        ending: 'excluded',
        why: 'photo:1 is excluded',
      });
      const why = 'needs photo of every item, and this run has only some';
      expect(turn(of('done'), { onMissing, rest: 'excluded' })).toEqual({
        ending: 'excluded',
        why,
      });
      for (const rest of ['blocked', 'later'] as const)
        expect(turn(of('done'), { onMissing, rest })).toEqual({
          ending: rest,
          why: 'waits for photo of every item',
        });
    },
  );

  test.each([
    [[], 'fail'],
    [['skipped', 'skipped'], 'fail'],
    [['failed', 'skipped'], 'skip'],
  ] as const)('is skipped if nothing is left: %j', (phases, onMissing) => {
    expect(turn(of(...phases), { onMissing })).toEqual({
      ending: 'skipped',
      why: 'there is no result of photo',
    });
  });

  test('is not decided by a skip while perhaps all are skipped', () => {
    const perhaps = { task: 'photo:1', phase: 'done' as const, isFinal: true, perhaps: true };
    expect(turn([...of('skipped'), perhaps])).toBe('start');
    expect(turn([...of('failed'), perhaps])).toMatchObject({ ending: 'blocked' });
  });
});

describe('a contributor', () => {
  const phases: Readonly<Record<string, Phase>> = {
    a: 'failed',
    b: 'blocked',
    c: 'doubt',
    d: 'blocked',
    e: 'done',
  };
  const after: Readonly<Record<string, readonly string[]>> = { b: ['a', 'e'], d: ['c'] };
  const final = (step: string): boolean =>
    isFinal(
      step,
      (name) => phases[name] ?? 'done',
      (name) => after[name] ?? [],
    );

  test('is final unless a later run may still do it', () => {
    expect(['a', 'b', 'e'].map(final)).toEqual([true, true, true]);
    expect(['c', 'd'].map(final)).toEqual([false, false]);
  });
});
