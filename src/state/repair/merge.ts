// Merges two histories of one pipeline into the union of their payments. The result does not depend on which side is
// ours and which is theirs. `repair` uses it for the two sides of a conflict, `merge` for files that are intact.
import { Ledger } from '../../model/ledger.ts';
import type { JobLine, RunLine, TaskLine } from '../../model/line.ts';
import { chargedHere, jobFacts } from '../../model/state.ts';
import { isSame } from './damage.ts';
import { compareLines, isSameAttempt, knows, type Orphan, preferred } from './precedence.ts';

/** A job that both sides changed in different ways. */
export interface Disagreement {
  readonly job: string;
  readonly ours: JobLine;
  readonly theirs: JobLine;
  readonly merged: JobLine;
  /** The payment of the side that was not chosen, if both sides paid, or may have. */
  readonly orphan?: Orphan;
}

export interface Merged {
  readonly jobs: readonly JobLine[];
  readonly tasks: readonly TaskLine[];
  readonly runs: readonly RunLine[];
  readonly renumbered: readonly RenumberedRun[];
  /** By job. */
  readonly disagreements: readonly Disagreement[];
}

interface Versions<T> {
  readonly ours: T | undefined;
  readonly theirs: T | undefined;
  readonly base: T | undefined;
}

export function mergeLedgers(ours: Ledger, theirs: Ledger, base: Ledger): Merged {
  const { runs, renumbered, numbers } = mergedRuns(ours.runs(), theirs.runs(), base.runs());
  const jobsOf = (side: MergeSide, ledger: Ledger): ReadonlyMap<string, JobLine> =>
    new Map([...ledger.jobs()].map((line) => [line.job, resent(line, numbers[side])]));
  const sides = {
    ours: jobsOf('ours', ours),
    theirs: jobsOf('theirs', theirs),
    base: jobsOf('base', base),
  };
  const jobs = new Map<string, JobLine>();
  const disagreements: Disagreement[] = [];
  const bookings: Booking[] = [];
  const names = [...sides.base.keys(), ...sides.ours.keys(), ...sides.theirs.keys()];
  for (const job of [...new Set(names)].sort()) {
    const {
      line,
      disagreement,
      bookings: more,
    } = mergedJob({
      ours: sides.ours.get(job),
      theirs: sides.theirs.get(job),
      base: sides.base.get(job),
    });
    jobs.set(job, line);
    bookings.push(...more);
    if (disagreement !== undefined) disagreements.push(disagreement);
  }
  const all = [...jobs.values()];
  return {
    jobs: all,
    tasks: mergedTasks({ ours, theirs, base }, sides),
    runs: settledSums(booked(runs, bookings), all, { ours, theirs, base }),
    renumbered,
    disagreements,
  };
}

/** The lines as a ledger. */
export function ledgerOf({ runs, jobs, tasks }: Pick<Merged, 'runs' | 'jobs' | 'tasks'>): Ledger {
  const ledger = new Ledger();
  for (const line of runs) ledger.apply({ type: 'run', line });
  for (const line of jobs) ledger.apply({ type: 'job', line });
  for (const line of tasks) ledger.apply({ type: 'task', line });
  return ledger;
}

/** A job with the new number of the run that sent it. */
export function resent(
  { sender, ...line }: JobLine,
  numbers: ReadonlyMap<number, number>,
): JobLine {
  const run = sender === undefined ? undefined : numbers.get(sender);
  return run === undefined ? line : { ...line, sender: run };
}

interface MergedJob {
  readonly line: JobLine;
  readonly disagreement?: Disagreement;
  readonly bookings: readonly Booking[];
}

function mergedJob({ ours, theirs, base }: Versions<JobLine>): MergedJob {
  const [a, b] = [completed(ours, base), completed(theirs, base)];
  const only = unanimous(a, b, base);
  if (only !== undefined) return { line: only, bookings: [] };
  if (a === undefined || b === undefined) throw new Error('bug: a job that no side has');
  const chosen = preferred(a, b, base);
  const { orphan, other } = chosen;
  const { line, bookings } =
    other === undefined ? { line: chosen.line, bookings: [] } : withDoubt(chosen.line, other);
  // Both sides may have booked one change: then it is in the sums of the runs twice.
  const twice =
    base === undefined
      ? 0
      : chargedHere(chosen.line) - (chargedHere(a) + chargedHere(b) - chargedHere(base));
  const all = twice === 0 ? bookings : [...bookings, { sender: line.sender, credits: twice }];
  if (a.state === 'supplied' && b.state === 'supplied') return { line, bookings: all };
  const disagreement = { job: line.job, ours: a, theirs: b, merged: line };
  return {
    line,
    bookings: all,
    disagreement: orphan === undefined ? disagreement : { ...disagreement, orphan },
  };
}

/** A side that knows less than the common beginning takes the rest from there: no merge undoes a payment. */
function completed(line: JobLine | undefined, base: JobLine | undefined): JobLine | undefined {
  if (line === undefined || base === undefined) return line ?? base;
  return knows(line, base) ? line : preferred(line, base).line;
}

/** The version of the sides, if they agree or only one of them changed. */
function unanimous<T extends object>(
  a: T | undefined,
  b: T | undefined,
  base: T | undefined,
): T | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (isSame(a, b) || isSame(b, base)) return a;
  return isSame(a, base) ? b : undefined;
}

/**
 * Of an attempt in doubt that is not chosen, nobody will learn what became of it. Its reserve counts as charged, like that
 * of an abandoned creation.
 */
function withDoubt(
  line: JobLine,
  { state, name, reserve = 0, sender }: JobLine,
): { readonly line: JobLine; readonly bookings: readonly Booking[] } {
  if (!jobFacts[state].inDoubt || name === undefined || reserve === 0)
    return { line, bookings: [] };
  const { past = [] } = line;
  if (past.some((attempt) => isSameAttempt(attempt, { name }))) return { line, bookings: [] };
  const more = [...past, { name, credits: reserve }].sort(compareLines);
  return { line: { ...line, past: more }, bookings: [{ sender, credits: reserve, isNew: true }] };
}

/** Tasks without a job. One that the other side has done since is no longer failed. */
function mergedTasks(
  ledgers: Readonly<Record<MergeSide, Ledger>>,
  jobs: Readonly<Record<MergeSide, ReadonlyMap<string, JobLine>>>,
): readonly TaskLine[] {
  const { ours, theirs, base } = ledgers;
  const names = new Set([...ours.tasks(), ...theirs.tasks()].map(({ task }) => task));
  const done = { ours: newlyDone(jobs.ours, jobs.base), theirs: newlyDone(jobs.theirs, jobs.base) };
  return [...names].sort().flatMap((task): readonly TaskLine[] => {
    const [a, b, before] = [ours.task(task), theirs.task(task), base.task(task)];
    if (a !== undefined && b !== undefined) {
      const [first] = [unanimous(a, b, before) ?? (compareLines(a, b) < 0 ? a : b)];
      return [first];
    }
    const line = a ?? b;
    const other = a === undefined ? done.ours : done.theirs;
    if (line === undefined || isSame(line, before) || other.has(task)) return [];
    return [line];
  });
}

/** The tasks of jobs that a side has done since the common beginning. */
function newlyDone(
  jobs: ReadonlyMap<string, JobLine>,
  base: ReadonlyMap<string, JobLine>,
): ReadonlySet<string> {
  const done = [...jobs.values()].filter(
    (line) =>
      (jobFacts[line.state].atService || jobFacts[line.state].hasResult) &&
      !isSame(line, base.get(line.job)),
  );
  return new Set(done.flatMap(({ tasks }) => tasks));
}

// Keeps the credits of the runs equal to those of the jobs, where a merge counted some of them twice or not at all.

interface Booking {
  /** The number of the run; without it, the last run counts. */
  readonly sender: number | undefined;
  /** May be negative. */
  readonly credits: number;
  /** A charge that no run has counted yet. Otherwise a correction, which first undoes what was counted twice. */
  readonly isNew?: boolean;
}

function booked(runs: readonly RunLine[], bookings: readonly Booking[]): readonly RunLine[] {
  const lines = [...runs];
  for (const booking of bookings) {
    const found = lines.findLastIndex(({ run }) => run === booking.sender);
    const index = found < 0 ? lines.length - 1 : found;
    const line = lines[index];
    if (line !== undefined) lines[index] = corrected(line, booking);
  }
  return lines;
}

function corrected(run: RunLine, { credits, isNew = false }: Booking): RunLine {
  if (credits < 0) {
    const undone = Math.min(run.charged, -credits);
    return { ...run, charged: run.charged - undone, refunded: run.refunded - credits - undone };
  }
  const undone = isNew ? 0 : Math.min(run.refunded, credits);
  return { ...run, refunded: run.refunded - undone, charged: run.charged + credits - undone };
}

/**
 * Books what is left to the last run. If the sums of a file did not agree before, credits are only added: a missing line may
 * have been a payment. Without a known beginning, two sides with the same gap lack the same line.
 */
function settledSums(
  runs: readonly RunLine[],
  jobs: readonly JobLine[],
  ledgers: Readonly<Record<MergeSide, Ledger>>,
): readonly RunLine[] {
  const { ours, theirs, base } = ledgers;
  const gaps = [gapOf(ours.runs(), ours.jobs()), gapOf(theirs.runs(), theirs.jobs())] as const;
  const start = gapOf(base.runs(), base.jobs());
  const isShared = base.runs().length === 0 && gaps[0] === gaps[1];
  const expected = isShared ? gaps[0] : gaps[0] + gaps[1] - start;
  const credits = expected - gapOf(runs, jobs);
  const agreed = [...gaps, start].every((gap) => gap === 0);
  return credits > 0 || (credits < 0 && agreed)
    ? booked(runs, [{ sender: undefined, credits }])
    : runs;
}

/** The credits by which the runs exceed the jobs. */
function gapOf(runs: readonly RunLine[], jobs: Iterable<JobLine>): number {
  let gap = 0;
  for (const { charged, refunded } of runs) gap += charged - refunded;
  for (const job of jobs) gap -= chargedHere(job);
  return gap;
}

// Merges the runs of two sides: each run once, with the credits that both sides added, and with a number of its own.

export interface RenumberedRun {
  readonly was: number;
  readonly now: number;
  readonly at: string;
}

interface MergedRuns {
  readonly runs: readonly RunLine[];
  readonly renumbered: readonly RenumberedRun[];
  /** The new numbers of the runs of each side, by the numbers that they had there. */
  readonly numbers: Readonly<Record<MergeSide, ReadonlyMap<number, number>>>;
}

type MergeSide = 'ours' | 'theirs' | 'base';

type Keyed = ReadonlyMap<string, RunLine>;

export function mergedRuns(
  ours: readonly RunLine[],
  theirs: readonly RunLine[],
  base: readonly RunLine[],
): MergedRuns {
  const [a, b, before] = [keyed(ours), keyed(theirs), keyed(base)];
  const keys = [...new Set([...before.keys(), ...a.keys(), ...b.keys()])];
  const merged = keys.map((key) => ({
    key,
    line: mergedRun(a.get(key), b.get(key), before.get(key)),
  }));
  // A run that is not over comes last, because the next run continues only the last one.
  const rank = ({ ended }: RunLine): number => (ended === undefined ? 1 : 0);
  merged.sort(
    ({ line: one }, { line: other }) =>
      rank(one) - rank(other) ||
      compareText(one.at, other.at) ||
      one.run - other.run ||
      compareLines(one, other),
  );
  const runs: RunLine[] = [];
  const numbers = { ours: new Map(), theirs: new Map(), base: new Map() };
  const renumbered: RenumberedRun[] = [];
  for (const { key, line } of merged) {
    const run = Math.max(line.run, (runs.at(-1)?.run ?? 0) + 1);
    runs.push({ ...line, run });
    for (const [side, lines] of [
      ['ours', a],
      ['theirs', b],
      ['base', before],
    ] as const) {
      const was = lines.get(key)?.run;
      if (was === undefined) continue;
      numbers[side].set(was, run);
      const news = { was, now: run, at: line.at };
      if (was !== run && !renumbered.some((known) => isSame(known, news))) renumbered.push(news);
    }
  }
  return { runs, renumbered, numbers };
}

/** A run is known by the time when it began: another merge may have given it another number. */
function keyed(runs: readonly RunLine[]): Keyed {
  const byKey = new Map<string, RunLine>();
  for (const run of runs) {
    let twin = 0;
    while (byKey.has(`${run.at} ${twin}`)) twin += 1;
    byKey.set(`${run.at} ${twin}`, run);
  }
  return byKey;
}

function mergedRun(
  a: RunLine | undefined,
  b: RunLine | undefined,
  before: RunLine | undefined,
): RunLine {
  const [one, other] = [a ?? before, b ?? before];
  if (one === undefined || other === undefined) {
    const only = one ?? other;
    if (only === undefined) throw new Error('bug: a run that no side has');
    return only;
  }
  const run = before?.run ?? Math.min(one.run, other.run);
  const known = before ?? {};
  if (isSame({ ...one, run }, { ...other, run }) || isSame({ ...other, run }, known))
    return { ...one, run };
  if (isSame({ ...one, run }, known)) return { ...other, run };
  const [first] = [one, other].sort(compareLines);
  const { ended: _ended, ...rest } = before ?? first ?? one;
  const ended = endOf(one, other, before);
  return {
    ...rest,
    run,
    charged: sumOf('charged', one, other, before),
    refunded: sumOf('refunded', one, other, before),
    ...(ended === undefined ? {} : { ended }),
  };
}

/** The credits of a run only grow. Without a known beginning, both sides may have the same credits. */
function sumOf(
  key: 'charged' | 'refunded',
  a: RunLine,
  b: RunLine,
  before: RunLine | undefined,
): number {
  if (before === undefined) return Math.max(a[key], b[key]);
  return Math.max(a[key], before[key]) + Math.max(b[key], before[key]) - before[key];
}

/** A run that both sides continued ended when it ended on both. */
function endOf(a: RunLine, b: RunLine, before: RunLine | undefined): string | undefined {
  const moved = [a, b].filter(
    (run) => !isSame({ ...run, run: 0 }, before && { ...before, run: 0 }),
  );
  const ends = (moved.length === 0 ? [a] : moved).map(({ ended }) => ended);
  return ends.includes(undefined) ? undefined : ends.sort().at(-1);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

// The only conflict that a merge can have: both sides paid for one job.

export interface Payment {
  readonly side: 'ours' | 'theirs';
  /** The name of the attempt. */
  readonly name?: string;
  readonly project?: string;
  /** Charged; for a payment in doubt, what was set aside for it. */
  readonly credits: number;
  /** True if nobody knows whether it was paid. */
  readonly inDoubt: boolean;
}

export interface DoublePayment {
  readonly job: string;
  readonly tasks: readonly string[];
  /** The payment whose result the job has. */
  readonly kept: Payment;
  /** The payment that stays in the job's past. */
  readonly other: Payment;
}

export function doublePaymentsIn(disagreements: readonly Disagreement[]): readonly DoublePayment[] {
  return disagreements.flatMap(({ job, ours, theirs, merged, orphan }) => {
    if (orphan === undefined) return [];
    const fromOurs = { payment: paymentOf('ours', ours), is: isLast(ours, merged) };
    const fromTheirs = { payment: paymentOf('theirs', theirs), is: isLast(theirs, merged) };
    const [kept, other] = fromOurs.is ? [fromOurs, fromTheirs] : [fromTheirs, fromOurs];
    return [{ job, tasks: merged.tasks, kept: kept.payment, other: other.payment }];
  });
}

const isLast = ({ name, project }: JobLine, merged: JobLine): boolean =>
  project === undefined
    ? merged.project === undefined && name === merged.name
    : project === merged.project;

function paymentOf(side: Payment['side'], line: JobLine): Payment {
  const { state, name, project, credits = 0, reserve = 0 } = line;
  const { inDoubt } = jobFacts[state];
  return {
    side,
    ...(name === undefined ? {} : { name }),
    ...(project === undefined ? {} : { project }),
    credits: inDoubt ? reserve : credits,
    inDoubt,
  };
}
