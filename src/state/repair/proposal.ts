// Turns the lines of a damaged state file into a proposal for a safe state: the damage, the proposed lines, and what
// only a person can look up. Nothing is guessed.
import { canonical } from '../../base/json.ts';
import type { RawLine } from '../../base/raw-line.ts';
import type { CreditTotals, Ledger } from '../../model/ledger.ts';
import type { Header, JobLine, RunLine } from '../../model/line.ts';
import { formatVersion } from '../../model/line-schemas.ts';
import { chargedHere, jobFacts, worthOf } from '../../model/state.ts';
import type { KindOf } from './adjudicator.ts';
import { attributed } from './attribution.ts';
import {
  type Complemented,
  complemented,
  noOtherRecords,
  type OtherRecords,
  type Share,
} from './complement.ts';
import type { Conflict } from './damage.ts';
import { type Damage, damage, type Examined, examine, isSame } from './damage.ts';
import type { RenumberedRun } from './merge.ts';
import { ledgerOf, type Merged, mergeLedgers } from './merge.ts';
import type { Orphan } from './precedence.ts';
import type { History } from './salvage.ts';
import { type Gap, type Salvaged, salvage } from './salvage.ts';

export interface JobChange {
  readonly job: string;
  readonly tasks: readonly string[];
  readonly is: 'kept' | 'in doubt' | 'dropped';
  /** The state by the readable lines alone, on each side; undefined if no line says. */
  readonly was: readonly (JobLine['state'] | undefined)[];
  readonly state?: JobLine['state'];
  readonly project?: string;
  /** The number of recorded files. */
  readonly files: number;
  readonly credits: { readonly before: readonly number[]; readonly after: number };
  readonly why: string;
}

export interface Repair {
  /** In the order of the lines. */
  readonly damages: readonly Damage[];
  /** Undefined if no line says which service the ids belong to. */
  readonly header: Header | undefined;
  readonly ledger: Ledger;
  /** The number of jobs that are taken as they are. */
  readonly untouched: number;
  readonly changes: readonly JobChange[];
  readonly orphans: readonly Orphan[];
  readonly gaps: readonly Gap[];
  readonly renumbered: readonly RenumberedRun[];
  /** What the proposal has from git's version of the file (HEAD), and from the user's receipts. */
  readonly shares: { readonly head: Share; readonly receipts: Share };
  readonly credits: {
    /** The totals by the readable lines alone, on each side. */
    readonly before: readonly (CreditTotals & { readonly side: string })[];
    readonly after: CreditTotals;
    /**
     * The charges of the jobs in the proposal. They are less than the charges of the runs if a job was paid again, or
     * if a job is lost.
     */
    readonly jobs: number;
  };
}

export interface RepairContext {
  readonly pipeline: string;
  /** The service of the ids, if the file does not name it. */
  readonly service: string | undefined;
  readonly kindOf: KindOf;
  /** There is no file. */
  readonly isMissing?: boolean;
  /** Jobs whose fingerprints are right: lines about their attempts may have wrong ones. */
  readonly known?: readonly JobLine[];
}

/** `others`: what else is known of the payments of this state file. */
export function repairOf(
  raw: readonly RawLine[],
  context: RepairContext,
  others: OtherRecords = noOtherRecords,
): Repair {
  const examined = examine(raw);
  const { header, damages, home } = headed(examined, context);
  const paid = others.receipts.map(({ own }) => own);
  const known = [...(others.head?.jobs() ?? []), ...(context.known ?? []), ...paid];
  const lines = attributed(home, known);
  const strands = historiesOf(lines);
  const sides = strands.sides.map((history) => salvage(history, context.kindOf));
  const merged = mergedOf(sides, strands.base && salvage(strands.base, context.kindOf), examined);
  const all = complemented(merged, others);
  const ledger = ledgerOf(all);
  const changes = jobChangesOf(sides, merged, ledger);
  const touched = changes.filter(({ is }) => is !== 'dropped').length;
  const found = distinct([...examined.damages, ...damages, ...lines.damages, ...merged.damages]);
  if (found.every(({ harmless }) => harmless)) found.push(...unaccounted(merged));
  const { head, receipts } = all.shares;
  const updated = head.updated + receipts.updated;
  const jobs = creditsOf(all.jobs);
  return {
    damages: found.sort((a, b) => a.line - b.line),
    header,
    ledger,
    untouched: Math.max(0, merged.jobs.length - touched - updated),
    changes,
    orphans: distinct(merged.orphans).filter((other) => !isKept(other, ledger.job(other.job))),
    gaps:
      raw.length === 0 && all.jobs.length === 0
        ? [{}]
        : gapsOf(sides, examined.missing, ledger.total, all),
    renumbered: distinct([...merged.renumbered, ...all.renumbered]),
    shares: all.shares,
    credits: {
      before: sides.map(({ name, plain }) => ({ side: name, ...plain.total })),
      after: ledger.total,
      jobs,
    },
  };
}

const creditsOf = (jobs: readonly JobLine[]): number =>
  jobs.reduce((sum, line) => sum + chargedHere(line), 0);

/** What may still be missing once the other records have added what they know. */
function gapsOf(
  sides: readonly Salvaged[],
  missing: number,
  { charged, refunded }: CreditTotals,
  { jobs, runs, shares: { head, receipts } }: Complemented,
): readonly Gap[] {
  const found = head.added + receipts.added + runs.length;
  const known = sides.flatMap(({ plain }) => plain.runs()).length;
  const lines = missing - (found - Math.min(runs.length, known));
  const between = sides.flatMap((side) => side.gaps);
  const isFilled = head.added + receipts.added >= between.length;
  const gaps = distinct(isFilled ? between.filter((gap) => gap.between === undefined) : between);
  if (lines > 0) gaps.push({ lines });
  const lost = charged - refunded - creditsOf(jobs);
  return gaps.length > 0 || lost <= 0 ? gaps : [{ credits: lost }];
}

/** Every credit of a run belongs to a job, so the sums reveal a file that was cut between two lines. */
function unaccounted(file: Pick<Reconciled, 'runs' | 'jobs'>): readonly Damage[] {
  const { charged, refunded } = ledgerOf({ ...file, tasks: [] }).total;
  const [runs, jobs] = [charged - refunded, creditsOf(file.jobs)];
  if (runs === jobs) return [];
  const what = `its runs add up to ${runs} credits and its jobs to ${jobs}: ${
    runs > jobs ? 'lines of jobs are missing' : 'lines of runs are missing'
  }, or a figure was changed`;
  return [damage(0, 'missing', what)];
}

/** True if the file still loads and nothing is lost. */
export const isWhole = ({ damages }: Repair): boolean => damages.every(({ harmless }) => harmless);

interface Headed {
  readonly header: Header | undefined;
  readonly damages: readonly Damage[];
  /** The lines of this pipeline and service. */
  readonly home: Pick<Examined, 'reads' | 'unread'>;
}

function headed({ reads, unread }: Examined, context: RepairContext): Headed {
  const headers = reads.flatMap(({ number, side, state }) =>
    state.type === 'header' ? [{ number, side, line: state.line }] : [],
  );
  const own = headers.find(({ line }) => line.pipeline === context.pipeline) ?? headers[0];
  const damages: Damage[] = [];
  if (context.isMissing === true) damages.push(damage(0, 'missing', 'the file is missing'));
  else if (own === undefined || reads[0]?.state.type !== 'header')
    damages.push(damage(reads.length === 0 && unread.length === 0 ? 0 : 1, 'no-header', headless));
  /** The beginnings and ends of lines from another state file. */
  const foreign: { from: number; until: number }[] = [];
  for (const { number, side, line } of headers) {
    const open = foreign.at(-1);
    if (open?.until === Number.POSITIVE_INFINITY) open.until = number;
    if (own === undefined || number === own.number) continue;
    if (isSame(withoutCount(line), withoutCount(own.line))) {
      // Two sides of a merge each have their own header if one of them was still in an older format.
      if (side === 'both' || side === own.side)
        damages.push(damage(number, 'second-header', 'a second header'));
    } else {
      const what = `a header of the pipeline "${line.pipeline}" and the service ${line.service}, not of "${own.line.pipeline}" and ${own.line.service}`;
      const left = side === 'both' ? `${what}: its lines are ignored` : what;
      damages.push(damage(number, 'foreign', left));
      if (side === 'both') foreign.push({ from: number, until: Number.POSITIVE_INFINITY });
    }
  }
  const isHome = ({ number }: { readonly number: number }): boolean =>
    !foreign.some(({ from, until }) => number >= from && number < until);
  const claim = unread.find(({ fields }) => fields.service !== undefined)?.fields.service;
  const service = claim ?? context.service;
  const found: Header | undefined =
    service === undefined
      ? undefined
      : { shotlist: formatVersion, pipeline: context.pipeline, service };
  return {
    header: own === undefined ? found : withoutCount(own.line),
    damages,
    home: { reads: reads.filter(isHome), unread: unread.filter(isHome) },
  };
}

/** The sides of a merge have different numbers of lines. */
const withoutCount = ({ lines: _, ...header }: Header): Header => header;

const headless = 'no header: the file does not say which pipeline and service it belongs to';

function mergedOf(
  sides: readonly Salvaged[],
  base: Salvaged | undefined,
  { sides: { conflicts } }: Examined,
): Reconciled {
  const [ours, theirs] = sides;
  if (ours === undefined) throw new Error('bug: a file without a history');
  const damages = sides.flatMap((side) => side.damages);
  const orphans = sides.flatMap((side) => side.orphans);
  if (theirs === undefined || base === undefined) {
    const { ledger, adjudicated } = ours;
    const [jobs, tasks] = [[...ledger.jobs()], ledger.tasks()];
    return { jobs, tasks, ...renumberedRuns(ledger.runs()), damages, orphans, adjudicated };
  }
  const merged = reconcile([ours, theirs], base, conflicts);
  return {
    ...merged,
    damages: [...damages, ...merged.damages],
    orphans: [...orphans, ...merged.orphans],
    adjudicated: new Map([...ours.adjudicated, ...theirs.adjudicated, ...merged.adjudicated]),
  };
}

/** Each run has its own number, higher than the number before. */
function renumberedRuns(runs: readonly RunLine[]): {
  readonly runs: readonly RunLine[];
  readonly renumbered: readonly RenumberedRun[];
} {
  const renumbered: RenumberedRun[] = [];
  let last = 0;
  const lines = runs.map((line) => {
    const run = line.run > last ? line.run : last + 1;
    if (run !== line.run) renumbered.push({ was: line.run, now: run, at: line.at });
    last = run;
    return { ...line, run };
  });
  return { runs: lines, renumbered };
}

function jobChangesOf(
  sides: readonly Salvaged[],
  { adjudicated }: Reconciled,
  ledger: Ledger,
): readonly JobChange[] {
  const changes = [...adjudicated].map(([job, why]): JobChange => {
    const line = ledger.job(job);
    const plain = sides.map((side) => side.plain.job(job));
    const doubtful = line !== undefined && jobFacts[line.state].inDoubt;
    return {
      job,
      tasks: line?.tasks ?? plain.find((known) => known !== undefined)?.tasks ?? [],
      is: line === undefined ? 'dropped' : doubtful ? 'in doubt' : 'kept',
      was: plain.map((known) => known?.state),
      ...(line === undefined ? {} : { state: line.state }),
      ...(line?.project === undefined ? {} : { project: line.project }),
      files: line?.outputs?.length ?? 0,
      credits: {
        before: plain.map(worthOf),
        after: worthOf(line),
      },
      why,
    };
  });
  return changes.sort((a, b) => (`${a.tasks[0]} ${a.job}` < `${b.tasks[0]} ${b.job}` ? -1 : 1));
}

const isKept = ({ project, name }: Orphan, kept: JobLine | undefined): boolean =>
  project === undefined ? kept?.name === name : kept?.project === project;

/** Each element once: a line outside of all conflicts is found on both sides. */
function distinct<T extends object>(list: readonly T[]): T[] {
  return [
    ...new Map(list.map((value) => [canonical(JSON.parse(JSON.stringify(value))), value])).values(),
  ];
}

// The two sides of a conflict in a damaged state file, merged into one history.

interface Histories {
  /** The whole file, or the two sides of its conflicts. */
  readonly sides: readonly History[];
  /** The common beginning of both sides, as far as the file contains it. */
  readonly base: History | undefined;
}

/**
 * The histories in a file. A conflict that contains only events, with numbers that do not collide, does not split the
 * history.
 */
function historiesOf({ reads, unread }: Pick<Examined, 'reads' | 'unread'>): Histories {
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

interface Reconciled extends Omit<Merged, 'disagreements'> {
  readonly damages: readonly Damage[];
  readonly orphans: readonly Orphan[];
  /** Jobs that differ between the sides, and how one was chosen. */
  readonly adjudicated: ReadonlyMap<string, string>;
}

function reconcile(
  [ours, theirs]: readonly [Salvaged, Salvaged],
  base: Salvaged,
  conflicts: readonly Conflict[],
): Reconciled {
  const place = conflicts[0]?.from ?? 0;
  const { disagreements, ...merged } = mergeLedgers(ours.ledger, theirs.ledger, base.ledger);
  const told = disagreements.map(({ job, ours: a, theirs: b, merged: { tasks } }) => {
    const what = `the sides disagree about a job: ours says ${described(a)}, theirs ${described(b)}`;
    return { job, what, tasks };
  });
  return {
    ...merged,
    damages: told.map(({ job, what, tasks }) => damage(place, 'disagree', what, { job, tasks })),
    orphans: disagreements.flatMap(({ orphan }) => (orphan === undefined ? [] : [orphan])),
    adjudicated: new Map(told.map(({ job, what }) => [job, what])),
  };
}

const described = ({ state, project }: JobLine): string =>
  project === undefined ? state : `${state} (project ${project})`;
