// Which due times must have run, said in another way than the runner does: from when a process was there, and when a run
// was in progress.

import type { Schedule } from '../src/language/pipeline.ts';
import { dueTimes } from '../src/language/schedule.ts';

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
  schedule: Schedule,
  { up, running }: History,
  { from, to }: Span,
): ReadonlySet<number> {
  const promised = new Set<number>();
  /** The last due time that was missed, by the next start. */
  const missed = new Map<number, number>();
  for (const due of dueTimes(schedule, from)) {
    if (due > to) break;
    if (running.some((run) => run.from < due && due <= run.to)) continue;
    if (up.some((life) => life.from < due && due <= life.to)) promised.add(due);
    else {
      const start = up.find((life) => life.from >= due)?.from ?? Number.NaN;
      missed.set(start, due);
    }
  }
  for (const due of missed.values()) promised.add(due);
  return promised;
}
