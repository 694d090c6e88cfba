// The fold of a damaged state file. Lines go into a ledger as usual; if a line cannot be applied, `verdictOn` decides what
// becomes of its job.
import { type Result, unreachable } from '../../base/result.ts';
import { kindNamed } from '../../contract/kinds.ts';
import { unknownKind } from '../../model/job-kind.ts';
import { Ledger } from '../../model/ledger.ts';
import type { EventLine, JobLine } from '../../model/line.ts';
import { type JobEvent, jobFacts, withPast } from '../../model/state.ts';
import { type Fields, fieldsOf, jobFieldsOf } from './fragments.ts';
import { type Orphan, orphanOf, preferred } from './precedence.ts';

/** The step kind of the job behind a task; undefined if the pipeline no longer has such a step. */
export type KindOf = (task: string) => string | undefined;

export class Adjudicator {
  readonly ledger = new Ledger();
  readonly orphans: Orphan[] = [];
  /** Jobs with a line that could not be applied, and the reason. */
  readonly adjudicated = new Map<string, string>();
  readonly #kindOf: KindOf;

  constructor(kindOf: KindOf) {
    this.#kindOf = kindOf;
  }

  /** Credits are counted in a run, even if the line that began the run is lost. */
  openRun(at: string): void {
    if (this.ledger.openRun !== undefined) return;
    const run = (this.ledger.runs().at(-1)?.run ?? 0) + 1;
    this.ledger.apply({ type: 'run', line: { run, at, charged: 0, refunded: 0 } });
  }

  /** An event that is not a legal move. */
  adjudicateEvent(event: JobEvent, why: string): void {
    const { job } = event;
    const before = this.ledger.job(job);
    this.adjudicated.set(job, why);
    if (before?.state === 'created' && event.event === 'output') {
      // Only complete jobs have saved files. The state keeps the file, and the next run settles the project again.
      this.put({ ...before, state: 'complete' });
      applyNext(this.ledger, event);
      this.put({ ...(this.ledger.job(job) ?? before), state: 'created' });
    } else if (before?.state === 'created' && event.event === 'deleted') {
      const result = before.result === undefined ? savedResult(before.outputs ?? []) : {};
      const tasks = tasksOf(before, fieldsOf(event));
      this.put({ ...before, ...result, state: 'deleted', at: event.at, tasks });
    } else this.adjudicate(job, fieldsOf(event), why);
  }

  /** Applies the readable part of a line about a job. */
  adjudicate(job: string, fields: Fields, why: string): void {
    const before = this.ledger.job(job);
    const claim = { job, kind: this.#kindFor(before, fields), before, fields, why };
    this.adjudicated.set(job, why);
    const doubt = doubtLine(claim, this.ledger.rates.dearest(claim.kind));
    const verdict = verdictOn(claim);
    switch (verdict) {
      case 'unchanged':
        return;
      case 'paid':
        return this.#paid(claim, doubt);
      case 'in doubt':
      case 'next attempt in doubt':
        this.#note(before && orphanOf(before, doubt));
        return this.put(doubt);
      case 'in doubt if it may begin':
        if (before === undefined) return this.put(doubt);
        this.#note(orphanOf(doubt, before));
        return this.doubt(before, why, fields.event === 'created' ? fields.credits : undefined);
      default:
        return unreachable(verdict);
    }
  }

  #paid(claim: Claim, doubt: JobLine): void {
    const { before, fields, why } = claim;
    const { project, credits } = fields;
    const paid = paidLine(claim);
    if (fields.event === 'created' && project !== undefined && credits !== undefined)
      this.#charge(doubt, project, credits);
    if (before === undefined) this.put(paid);
    else this.prefer(before, paid, why);
  }

  /** The charge counts in its run, whatever becomes of the job. */
  #charge(doubt: JobLine, project: string, credits: number): void {
    const { job, at } = doubt;
    this.openRun(at);
    this.put(doubt);
    applyNext(this.ledger, { seq: 1, event: 'created', at, job, project, credits });
  }

  #kindFor(before: JobLine | undefined, fields: Fields): string {
    const known = fields.kind ?? (before?.kind === unknownKind ? undefined : before?.kind);
    if (known !== undefined) return known;
    const kinds = tasksOf(before, fields).map((task) => this.#kindOf(task));
    return kinds.find((kind) => kind !== undefined) ?? unknownKind;
  }

  /**
   * An unreadable event may have begun this job, or begun it again. `charged`: the charge that the service reported for
   * a project whose id is lost.
   */
  doubt(before: JobLine, why: string, charged?: number): void {
    if (!mayHaveBegun(before)) return;
    const { job, kind } = before;
    this.adjudicated.set(job, why);
    const dearest = this.ledger.rates.dearest(kind);
    const fields = charged === undefined ? {} : { credits: charged };
    const { name, ...line } = doubtLine({ job, kind, before, fields, why }, dearest);
    const open = before.state === 'intended' && name !== undefined;
    this.put(open ? { ...line, name } : { ...line, ...withPast(before) });
  }

  /** Chooses between two lines about one job. */
  prefer(before: JobLine, line: JobLine, why: string): void {
    const chosen = preferred(before, line);
    this.adjudicated.set(line.job, why);
    this.#note(chosen.orphan);
    this.put(chosen.line);
  }

  #note(orphan: Orphan | undefined): void {
    if (orphan !== undefined) this.orphans.push(orphan);
  }

  put(line: JobLine): void {
    this.ledger.apply({ type: 'job', line });
  }
}

/** Folds an event in as if no event were missing before it. */
export function applyNext(ledger: Ledger, event: EventLine): Result<void, string> {
  return ledger.apply({ type: 'event', line: { ...event, seq: ledger.seq + 1 } });
}

// The readable part of a line that cannot be applied, and the job lines that it supports.

export interface Claim {
  readonly job: string;
  readonly kind: string;
  /** The job's line so far. */
  readonly before: JobLine | undefined;
  /** The readable fields of the line. */
  readonly fields: Fields;
  /** Why the line cannot be applied. */
  readonly why: string;
}

/**
 * A job in doubt, with everything that is known about its attempt. An unknown price counts as the highest of its kind.
 * A charge in the line stays set aside.
 */
export function doubtLine({ job, kind, before, fields, why }: Claim, dearest: number): JobLine {
  const known = { ...before, ...jobFieldsOf(fields) };
  const { project: _p, credits, result: _r, outputs: _o, added: _a, expires: _e, ...rest } = known;
  const superseded = before !== undefined && (fields.attempt ?? 0) > before.attempt;
  return {
    ...rest,
    job,
    kind,
    state: 'doubt',
    tasks: tasksOf(before, fields),
    attempt: attemptIn(before, fields),
    at: known.at ?? '',
    reserve: Math.max(known.reserve ?? Math.max(credits ?? 0, dearest), fields.credits ?? 0),
    error: { code: 'in_doubt', message: why },
    ...(superseded ? withPast(before) : {}),
  };
}

/** A paid job: the next run reads its project and settles it by the service's record. */
export function paidLine({ job, kind, before, fields }: Claim): JobLine {
  const {
    error: _e,
    result: _r,
    outputs: _o,
    credits: _c,
    added: _a,
    expires: _x,
    silent: _s,
    ...rest
  } = { ...before };
  const said = jobFieldsOf(fields);
  const deleted = said.state === 'deleted';
  return {
    ...rest,
    ...said,
    job,
    kind,
    // A deleted project cannot be read again, but any other project can.
    state: deleted ? 'deleted' : 'created',
    tasks: tasksOf(before, fields),
    attempt: attemptIn(before, fields),
    at: said.at ?? before?.at ?? '',
    ...(deleted && said.result === undefined ? savedResult(said.outputs ?? []) : {}),
  };
}

const attemptIn = (before: JobLine | undefined, fields: Fields): number =>
  Math.max(before?.attempt ?? 0, fields.attempt ?? 0, 1);

/** A project is deleted only when all its downloads are saved, so the number of files is the number of downloads. */
export function savedResult(outputs: NonNullable<JobLine['outputs']>): Pick<JobLine, 'result'> {
  const downloads = new Set(outputs.map(({ index }) => index)).size;
  return downloads === 0 ? {} : { result: { downloads } };
}

/** The known tasks of a job, sorted. */
export function tasksOf(before: JobLine | undefined, { tasks = [], task }: Fields): string[] {
  const named = [...(before?.tasks ?? []), ...tasks, ...(task === undefined ? [] : [task])];
  return [...new Set(named)].sort();
}

// What becomes of a job if a line about it cannot be applied. A payment is never treated as if it had not been made.

type ClaimVerdict =
  /** The job stays as it is known. */
  | 'unchanged'
  /** The job has the project that the line names. The next run asks the service about it. */
  | 'paid'
  /** A creation may have been sent; nothing else is known. */
  | 'in doubt'
  /** A new attempt begins only when the previous one is over. If the previous attempt was paid, it is an orphan. */
  | 'next attempt in doubt'
  /** The job stays as it is known, unless this line may have begun it, or begun it again. */
  | 'in doubt if it may begin';

export function verdictOn({ kind, before, fields }: Claim): ClaimVerdict {
  const { event, state, project, attempt = 0 } = fields;
  if (event === 'supplied' || state === 'supplied' || isFree(kind)) return 'unchanged';
  // An amended charge may be that of an earlier attempt, whose project says nothing about the last attempt.
  if (project !== undefined && event !== 'amended')
    return before?.project === project ? 'unchanged' : 'paid';
  if (before === undefined) return 'in doubt';
  return attempt > before.attempt ? 'next attempt in doubt' : 'in doubt if it may begin';
}

/**
 * True if an unreadable event may have begun this job, or begun it again. A deleted project stays deleted, because
 * shotlist never pays for it again unasked.
 */
const mayHaveBegun = ({ state, kind }: JobLine): boolean =>
  (state === 'intended' || jobFacts[state].mayBegin) && state !== 'deleted' && !isFree(kind);

/** Free work costs nothing to repeat, so it needs no protection. */
function isFree(kind: string): boolean {
  const known = kindNamed(kind);
  return known !== undefined && known.tool === undefined;
}
