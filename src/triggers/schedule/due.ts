// Which due times of a schedule to run now, and which to leave out. What was decided is kept (`DueState`), also over
// restarts, so each due time is decided once.

import type { Schedule } from '../../language/pipeline.ts';
import { dueTimes } from '../../language/schedule.ts';
import type { RunLine } from '../../model/record/line.ts';

/** All times are in epoch milliseconds. */
export interface DueState {
  /** Every due time up to this moment is decided. */
  readonly decidedUntil: number;
  /** The due times to run, in ascending order. */
  readonly queue: readonly number[];
}

interface LeftOut {
  /** The first due time that is left out. */
  readonly due: number;
  readonly why: 'missed' | 'overlap';
}

export interface DueDecision {
  readonly state: DueState;
  /** The due time that is new in the queue. */
  readonly queued?: number;
  readonly leftOut?: LeftOut | undefined;
}

/**
 * What is decided when `schedule` starts, by the runs in the state file and by what an earlier process remembered. `since`
 * counts where there is neither; what lies after `now` was decided by a clock that was ahead, and does not count. An interrupted
 * run comes first.
 */
export function dueStateOf(
  runs: readonly RunLine[],
  remembered: DueState | undefined,
  since: number,
  now: number,
): DueState {
  const scheduled = runs.flatMap(({ due, ended }) =>
    due === undefined ? [] : [{ due: Date.parse(due), ended }],
  );
  const open = openDueOf(runs);
  const ended = new Set(scheduled.flatMap((run) => (run.ended === undefined ? [] : [run.due])));
  const known = [...scheduled.map(({ due }) => due), remembered?.decidedUntil ?? -Infinity];
  const decidedUntil = Math.max(-Infinity, ...known.filter((time) => time <= now));
  const waiting = (remembered?.queue ?? []).filter(
    (due) => due <= now && due !== open && !ended.has(due),
  );
  return {
    decidedUntil: decidedUntil === -Infinity ? since : decidedUntil,
    queue: open === undefined ? waiting : [open, ...waiting],
  };
}

/** From when `--once` counts if nothing is known: the last due time of the past hour is due. */
export function sinceOnTime(schedule: Schedule, now: number): number {
  const first = nextDue(schedule, now - onTimeMs);
  return first === undefined || first > now ? now : latestDue(schedule, first, now) - 1;
}

/** The due time of the run that was interrupted, if there is one. */
export function openDueOf(runs: readonly RunLine[]): number | undefined {
  const last = runs.at(-1);
  return last?.ended === undefined && last?.due !== undefined ? Date.parse(last.due) : undefined;
}

interface Moment {
  readonly now: number;
  /** True at the end of a run: the due times since its start overlapped it. */
  readonly running: boolean;
}

/** How late the first run of `--once` may start. */
const onTimeMs = 3_600_000;

/** Of the due times that have come, the last one is run; in a run, none of them. */
export function decideDue(schedule: Schedule, before: DueState, moment: Moment): DueDecision {
  const { now, running } = moment;
  // The clock may have been set back. A run that is repeated for that reason finds its due time in the state file.
  const after = Math.min(before.decidedUntil, now);
  const first = nextDue(schedule, after);
  const { queue } = before;
  const decided = { decidedUntil: now, queue };
  if (first === undefined || first > now) return { state: decided };
  if (running) return { state: decided, leftOut: { due: first, why: 'overlap' } };
  const last = latestDue(schedule, first, now);
  return {
    state: queue.includes(last) ? decided : { ...decided, queue: [...queue, last] },
    queued: last,
    leftOut: last === first ? undefined : { due: first, why: 'missed' },
  };
}

/** The last due time up to `now`. Looks back in growing steps, because months of minutes would take long to list. */
function latestDue(schedule: Schedule, first: number, now: number): number {
  for (let back = 60_000; ; back *= 8) {
    const from = Math.max(first - 1, now - back);
    let found: number | undefined;
    for (const due of dueTimes(schedule, from)) {
      if (due > now) break;
      found = due;
    }
    if (found !== undefined) return found;
    if (from === first - 1) return first;
  }
}

/** Undefined if the schedule has an end. */
export function nextDue(schedule: Schedule, after: number): number | undefined {
  const next = dueTimes(schedule, after).next();
  return next.done === true ? undefined : next.value;
}
