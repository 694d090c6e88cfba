// How a step of the items stands for the shared steps that wait for all of them.
import { describe, expect, test } from 'vitest';
import type { Ending } from '../../../src/core/ending.ts';
import { Barrier } from '../../../src/plan/turn.ts';

const over = { over: true, rest: undefined };

function having(...endings: readonly Ending[]): Barrier {
  const barrier = new Barrier(false);
  for (const ending of endings) barrier.note('swap', ending);
  return barrier;
}

describe('a step of the items', () => {
  test('is waited for while an item is in progress or to come', () => {
    expect(having('failed').phase('swap', { over: false, rest: undefined })).toBe('waiting');
  });

  test.each<readonly [string, readonly Ending[], Ending]>([
    ['is done where it is done for all', ['done', 'done'], 'done'],
    ['is done where it was skipped for some', ['skipped', 'done'], 'done'],
    ['is blocked where it failed for one', ['done', 'failed', 'done'], 'blocked'],
    ['is blocked where it is in doubt for one', ['doubt'], 'blocked'],
    ['is blocked where it is pending for one', ['pending'], 'blocked'],
    ['is blocked where it is blocked for one', ['blocked'], 'blocked'],
    ['is excluded if it is excluded for one item', ['done', 'excluded'], 'excluded'],
    ['is blocked rather than excluded', ['failed', 'excluded'], 'blocked'],
    ['is blocked rather than excluded, in any order', ['excluded', 'failed'], 'blocked'],
  ])('%s', (_, endings, phase) => {
    expect(having(...endings).phase('swap', over)).toBe(phase);
    expect(having(...endings).phase('another', over)).toBe('done');
  });

  test('is blocked while not all items were taken in, since there is no money for the others', () => {
    expect(having('done').phase('swap', { over: true, rest: 'blocked' })).toBe('blocked');
    expect(having('excluded').phase('swap', { over: true, rest: 'blocked' })).toBe('excluded');
  });

  test('is excluded in a run that takes only some of the items', () => {
    const barrier = new Barrier(true);
    barrier.note('swap', 'done');
    expect(barrier.phase('swap', over)).toBe('excluded');
    barrier.note('swap', 'failed');
    expect(barrier.phase('swap', over)).toBe('blocked');
  });
});
