// Which due times must have run, said in another way than the runner does: from when a process was there, and when a run
// was in progress.

import type { Schedule } from '../src/language/pipeline.ts';
import { dueTimes } from '../src/language/schedule.ts';

export type ScheduleTerms = Pick<Schedule, 'cron' | 'timeZone' | 'catchUp' | 'overlap'>;

/** Epoch milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

export interface History {
  /** When a process was there, in order. */
  readonly up: Span[];
  /** When a run was in progress. */
  readonly running: Span[];
}

export function promisedDue(
  terms: ScheduleTerms,
  { up, running }: History,
  { from, to }: Span,
): ReadonlySet<number> {
  const promised = new Set<number>();
  /** The due times that were missed, by the next start. */
  const missed = new Map<number, number[]>();
  for (const due of dueTimes(terms, from)) {
    if (due > to) break;
    const overlaps = running.some((run) => run.from < due && due <= run.to);
    if (overlaps) {
      if (terms.overlap === 'queue') promised.add(due);
    } else if (up.some((life) => life.from < due && due <= life.to)) promised.add(due);
    else {
      const start = up.find((life) => life.from >= due)?.from ?? Number.NaN;
      missed.set(start, [...(missed.get(start) ?? []), due]);
    }
  }
  for (const [start, due] of missed) for (const one of madeUp(terms, due, start)) promised.add(one);
  return promised;
}

function madeUp(
  { catchUp }: ScheduleTerms,
  due: readonly number[],
  start: number,
): readonly number[] {
  switch (catchUp) {
    case 'all':
      return due;
    case 'last':
      return due.slice(-1);
    case 'none':
      return due.slice(-1).filter((last) => start - last <= 3_600_000);
  }
}
