// Merges two sides into one: for each job the line that keeps more of the payments, and the runs with the credits of
// both.

import type { JobLine, RunLine, TaskLine } from '../journal/line.ts';
import type { Conflict } from './conflict.ts';
import { type Damage, damage, type Examined, isSame } from './damage.ts';
import type { Orphan } from './orphan.ts';
import { preferred } from './precedence.ts';
import type { Salvaged } from './salvage.ts';
import type { History } from './sequence.ts';

export interface Histories {
  /** The whole file, or the two sides of its conflicts. */
  readonly sides: readonly History[];
  /** The common beginning of both sides, as far as the file contains it. */
  readonly base: History | undefined;
}

/**
 * The histories in a file. A conflict that contains only events, with numbers that do not collide, does not split the
 * history.
 */
export function historiesOf({ reads, unread }: Pick<Examined, 'reads' | 'unread'>): Histories {
  const contested = reads.filter(({ side }) => side !== 'both');
  const onlyEvents = contested.every(({ state }) => state.type === 'event') && !collide(reads);
  if (onlyEvents && unread.every(({ side }) => side === 'both'))
    return { sides: [{ name: 'the file', reads, unread }], base: undefined };
  const history = (name: 'ours' | 'theirs' | 'base'): History => ({
    name,
    reads: reads.filter(({ side }) => side === 'both' || side === name),
    unread: unread.filter(({ side }) => side === 'both' || side === name),
  });
  return { sides: [history('ours'), history('theirs')], base: history('base') };
}

function collide(reads: Examined['reads']): boolean {
  const seen = new Map<number, object>();
  return reads.some(({ state }) => {
    if (state.type !== 'event') return false;
    const twin = seen.get(state.line.seq);
    seen.set(state.line.seq, state.line);
    return twin !== undefined && !isSame(twin, state.line);
  });
}

export interface Reconciled {
  readonly jobs: readonly JobLine[];
  readonly tasks: readonly TaskLine[];
  readonly runs: readonly RunLine[];
  readonly damages: readonly Damage[];
  readonly orphans: readonly Orphan[];
  /** Jobs that differ between the sides, and how one was chosen. */
  readonly adjudicated: ReadonlyMap<string, string>;
}

export function reconcile(
  [ours, theirs]: readonly [Salvaged, Salvaged],
  base: Salvaged,
  conflicts: readonly Conflict[],
): Reconciled {
  const place = conflicts[0]?.from ?? 0;
  const jobs = new Map([...base.ledger.jobs()].map((line) => [line.job, line]));
  const damages: Damage[] = [];
  const orphans: Orphan[] = [];
  const adjudicated = new Map<string, string>();
  for (const line of ours.ledger.jobs()) jobs.set(line.job, line);
  for (const b of theirs.ledger.jobs()) {
    const { job } = b;
    const a = ours.ledger.job(job);
    const before = base.ledger.job(job);
    if (a === undefined || isSame(a, b) || isSame(a, before)) jobs.set(job, b);
    if (a === undefined || isSame(a, b) || isSame(a, before) || isSame(b, before)) continue;
    const chosen = preferred(a, b);
    if (a.state === 'supplied' && b.state === 'supplied') {
      // The job is free and either line will do, so it is not reported.
      jobs.set(job, chosen.line);
      continue;
    }
    const what = `the sides disagree about a job: ours says ${described(a)}, theirs ${described(b)}`;
    damages.push(damage(place, 'disagree', what, { job, tasks: chosen.line.tasks }));
    if (chosen.orphan !== undefined) orphans.push(chosen.orphan);
    adjudicated.set(job, what);
    jobs.set(job, chosen.line);
  }
  const tasks = new Map(
    [...theirs.ledger.tasks(), ...ours.ledger.tasks()].map((line) => [line.task, line]),
  );
  return {
    jobs: [...jobs.values()],
    tasks: [...tasks.values()],
    runs: runsOf(ours, theirs, base),
    damages,
    orphans,
    adjudicated,
  };
}

const described = ({ state, project }: JobLine): string =>
  project === undefined ? state : `${state} (project ${project})`;

/** Runs by their start. If both sides added to the same run, the additions are summed; nothing is dropped. */
function runsOf(ours: Salvaged, theirs: Salvaged, base: Salvaged): readonly RunLine[] {
  const runs = [...ours.ledger.runs()];
  const isTwin =
    (a: RunLine) =>
    (b: RunLine): boolean =>
      a.run === b.run && a.at === b.at;
  for (const run of theirs.ledger.runs()) {
    const index = runs.findIndex(isTwin(run));
    const own = runs[index];
    const before = base.ledger.runs().find(isTwin(run));
    if (own === undefined || (before === undefined && !isSame(own, run))) runs.push(run);
    else if (!isSame(own, run)) runs[index] = added(own, run, before ?? run);
  }
  for (const run of base.ledger.runs()) if (!runs.some(isTwin(run))) runs.push(run);
  return runs.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.run - b.run));
}

function added(a: RunLine, b: RunLine, before: RunLine): RunLine {
  const sum = (key: 'charged' | 'refunded'): number =>
    Math.max(a[key], b[key], a[key] + b[key] - before[key]);
  const { ended: _ended, ...run } = a;
  const ended =
    a.ended === undefined || b.ended === undefined ? undefined : later(a.ended, b.ended);
  return {
    ...run,
    charged: sum('charged'),
    refunded: sum('refunded'),
    ...(ended === undefined ? {} : { ended }),
  };
}

const later = (a: string, b: string): string => (a > b ? a : b);
