import { describe, expect, test } from 'vitest';
import type { RunLine } from '../../src/model/line.ts';
import { identityOf } from '../../src/model/run-identity.ts';

const monday = '2026-06-01T05:00:00.000Z';
const tuesday = '2026-06-02T05:00:00.000Z';

function line(run: number, more: Partial<RunLine> = {}): RunLine {
  return { run, at: monday, ended: tuesday, charged: 0, refunded: 0, ...more };
}

function open(run: number, more: Partial<RunLine> = {}): RunLine {
  const { ended: _, ...rest } = line(run, more);
  return rest;
}

describe('a run for a due time', () => {
  test('has the next number if the due time is new', () => {
    const expected = { due: tuesday, number: 4, over: false };
    expect(identityOf([line(1), line(3, { due: monday })], { due: tuesday })).toEqual(expected);
  });

  test('is over if a run for it has ended', () => {
    const runs = [line(1, { due: monday }), line(2)];
    expect(identityOf(runs, { due: monday })).toEqual({ due: monday, number: 1, over: true });
  });

  test('continues the one that was interrupted', () => {
    const runs = [line(1, { due: monday }), open(2, { due: monday })];
    expect(identityOf(runs, { due: monday })).toEqual({ due: monday, number: 1, over: false });
  });
});

describe('a run without a due time', () => {
  test('is the next one, or the one that was interrupted', () => {
    expect(identityOf([], {})).toEqual({ due: undefined, number: 1, over: false });
    expect(identityOf([line(4)], {}).number).toBe(5);
    expect(identityOf([open(4)], {}).number).toBe(4);
  });

  test('takes over the due time and the number of a scheduled run that was interrupted', () => {
    const runs = [line(1), open(2, { due: monday })];
    expect(identityOf(runs, {})).toEqual({ due: monday, number: 2, over: false });
  });
});
