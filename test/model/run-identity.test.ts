import { describe, expect, test } from 'vitest';
import type { RunLine } from '../../src/model/record/line.ts';
import { identityOf } from '../../src/model/run-identity.ts';

const monday = '2026-06-01T05:00:00.000Z';
const tuesday = '2026-06-02T05:00:00.000Z';

function line(run: number, more: Partial<RunLine> = {}): RunLine {
  return { run: `${run}`, at: monday, ended: tuesday, ...more };
}

function open(run: number, more: Partial<RunLine> = {}): RunLine {
  const { ended: _, ...rest } = line(run, more);
  return rest;
}

describe('a run for a due time', () => {
  test('is for that time', () => {
    expect(identityOf([], tuesday)).toEqual({ due: tuesday, over: false });
    const runs = [line(1), line(3, { due: monday })];
    expect(identityOf(runs, tuesday)).toEqual({ due: tuesday, over: false });
  });

  test('is over if a run for it has ended', () => {
    const runs = [line(1, { due: monday }), line(2)];
    expect(identityOf(runs, monday)).toEqual({ due: monday, over: true });
  });

  test('continues the one that was interrupted', () => {
    const runs = [line(1, { due: monday }), open(2, { due: monday })];
    expect(identityOf(runs, monday)).toEqual({ due: monday, over: false });
  });
});

describe('a run without a due time', () => {
  test('has none, also if the last one was interrupted', () => {
    for (const runs of [[], [line(3, { due: monday }), line(4)], [open(4)]])
      expect(identityOf(runs)).toEqual({ due: undefined, over: false });
  });

  test('takes over the due time of a scheduled run that was interrupted', () => {
    const runs = [line(1), open(2, { due: monday })];
    expect(identityOf(runs)).toEqual({ due: monday, over: false });
  });
});
