// Which due times of a schedule to run now, and which to leave out. What was decided is kept (`DueState`), also over
// restarts, so each due time is decided once.

import type { Schedule } from '../../language/pipeline.ts';
import { dueTimes } from '../../language/schedule.ts';
import type { RunLine } from '../../model/line.ts';

/** All times are in epoch milliseconds. */
export interface DueState {
  /** Every due time up to this moment is decided. */
  readonly decidedUntil: number;
  /** The due times to run, in ascending order. */
  readonly queue: readonly QueuedRun[];
}

export interface QueuedRun {
  readonly due: number;
  /** The due time plus jitter: the run starts then, or as soon as possible after it. */
  readonly start: number;
}

export interface LeftOut {
  /** The first due time that is left out. */
  readonly due: number;
  readonly why: 'catch-up' | 'overlap';
}

export interface DueDecision {
  readonly state: DueState;
  /** The due times that are new in the queue. */
  readonly queued: readonly QueuedRun[];
  readonly leftOut?: LeftOut;
}

/**
 * What is decided when `schedule` starts, by the runs in the state file and by what an earlier process remembered. `since`
 * counts where there is neither. An interrupted run comes first.
 */
export function dueStateOf(
  runs: readonly RunLine[],
  remembered: DueState | undefined,
  since: number,
): DueState {
  const scheduled = runs.flatMap(({ due, ended }) =>
    due === undefined ? [] : [{ due: Date.parse(due), ended }],
  );
  const open = openDueOf(runs);
  const ended = new Set(scheduled.flatMap((run) => (run.ended === undefined ? [] : [run.due])));
  const known = scheduled.map(({ due }) => due);
  const decidedUntil = Math.max(remembered?.decidedUntil ?? -Infinity, ...known);
  const waiting = (remembered?.queue ?? []).filter(({ due }) => due !== open && !ended.has(due));
  return {
    decidedUntil: decidedUntil === -Infinity ? since : decidedUntil,
    queue: open === undefined ? waiting : [{ due: open, start: open }, ...waiting],
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
  /** 0 ≤ chance < 1, for jitter. */
  readonly chance: () => number;
}

/** How late a run may start and still be on time: with `catch_up: none`, a later one is left out. */
export const onTimeMs = 3_600_000;

/** How many runs to queue at once when all are made up for; the next decision queues the rest. */
const mostAtOnce = 1000;

export function decideDue(schedule: Schedule, before: DueState, moment: Moment): DueDecision {
  const { now, running, chance } = moment;
  // The clock may have been set back. A run that is repeated for that reason finds its due time in the state file.
  const after = Math.min(before.decidedUntil, now);
  const first = nextDue(schedule, after);
  const decided = { decidedUntil: now, queue: before.queue };
  if (first === undefined || first > now) return { state: decided, queued: [] };
  const chosen = chosenDue(schedule, first, { now, running });
  const queued = chosen.map((due) => ({ due, start: due + jitterOf(schedule, due, chance) }));
  const known = new Set(before.queue.map(({ due }) => due));
  const queue = [...before.queue, ...queued.filter(({ due }) => !known.has(due))];
  const more = !running && chosen.length === mostAtOnce;
  const state = { decidedUntil: more ? (chosen.at(-1) ?? now) : now, queue };
  if (chosen[0] === first) return { state, queued };
  return { state, queued, leftOut: { due: first, why: running ? 'overlap' : 'catch-up' } };
}

function chosenDue(
  schedule: Schedule,
  first: number,
  { now, running }: Pick<Moment, 'now' | 'running'>,
): readonly number[] {
  if (running) return schedule.overlap === 'skip' ? [] : upTo(now, dueTimes(schedule, first - 1));
  if (schedule.catchUp === 'all') return upTo(now, dueTimes(schedule, first - 1), mostAtOnce);
  const last = latestDue(schedule, first, now);
  return schedule.catchUp === 'none' && now - last > onTimeMs ? [] : [last];
}

function upTo(
  end: number,
  times: Iterable<number>,
  most = Number.POSITIVE_INFINITY,
): readonly number[] {
  const found: number[] = [];
  for (const time of times) {
    if (time > end) break;
    found.push(time);
    if (found.length === most) break;
  }
  return found;
}

/** The last due time up to `now`. Looks back in growing steps, because months of minutes would take long to list. */
function latestDue(schedule: Schedule, first: number, now: number): number {
  for (let back = 60_000; ; back *= 8) {
    const from = Math.max(first - 1, now - back);
    const found = upTo(now, dueTimes(schedule, from)).at(-1);
    if (found !== undefined) return found;
    if (from === first - 1) return first;
  }
}

/** Jitter never reaches the next due time. */
function jitterOf(schedule: Schedule, due: number, chance: () => number): number {
  if (schedule.jitterMs === 0) return 0;
  const next = nextDue(schedule, due) ?? Number.POSITIVE_INFINITY;
  return Math.floor(chance() * Math.min(schedule.jitterMs, next - due));
}

/** Undefined if the schedule has an end. */
export function nextDue(schedule: Schedule, after: number): number | undefined {
  const [next] = upTo(Number.POSITIVE_INFINITY, dueTimes(schedule, after), 1);
  return next;
}
