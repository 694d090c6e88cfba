// The scales on which a job is laid when a line about it cannot be taken as it is: what the line still says against
// what is known already. Whatever comes out, a payment never looks as if it had not been.
import type { Result } from '../../contract/base/result.ts';
import { Ledger } from '../journal/ledger.ts';
import type { EventLine, JobLine } from '../journal/line.ts';
import { type JobEvent, mayBegin, unknownKind, withPast } from '../journal/state.ts';
import { type Fields, fieldsOf } from './fragments.ts';
import {
  doubtLine,
  isFree,
  type Orphan,
  orphanOf,
  paidLine,
  preferred,
  savedResult,
  tasksOf,
} from './precedence.ts';

/** The step kind of the job that a task asks for; undefined: the pipeline has no such step any more. */
export type KindOf = (task: string) => string | undefined;

export class Adjudicator {
  readonly ledger = new Ledger();
  readonly orphans: Orphan[] = [];
  /** Jobs that were weighed, and why. */
  readonly adjudicated = new Map<string, string>();
  readonly #kindOf: KindOf;

  constructor(kindOf: KindOf) {
    this.#kindOf = kindOf;
  }

  /** Credits are counted in a run, also where the line that began it is lost. */
  openRun(at: string): void {
    if (this.ledger.openRun !== undefined) return;
    const run = (this.ledger.runs().at(-1)?.run ?? 0) + 1;
    this.ledger.apply({ type: 'run', line: { run, at, charged: 0, refunded: 0 } });
  }

  /** An event that is no legal move. */
  adjudicateEvent(event: JobEvent, why: string): void {
    const { job } = event;
    const before = this.ledger.job(job);
    this.adjudicated.set(job, why);
    if (before?.state === 'created' && event.event === 'output') {
      // Files are saved only of what is complete: the file is kept, and the next run settles the project again.
      this.put({ ...before, state: 'complete' });
      applyNext(this.ledger, event);
      this.put({ ...(this.ledger.job(job) ?? before), state: 'created' });
    } else if (before?.state === 'created' && event.event === 'deleted') {
      const result = before.result === undefined ? savedResult(before.outputs ?? []) : {};
      const tasks = tasksOf(before, fieldsOf(event));
      this.put({ ...before, ...result, state: 'deleted', at: event.at, tasks });
    } else this.adjudicate(job, fieldsOf(event), why);
  }

  /** What can be read of a line about a job. */
  adjudicate(job: string, fields: Fields, why: string): void {
    const before = this.ledger.job(job);
    const claim = { job, kind: this.#kindFor(before, fields), before, fields, why };
    this.adjudicated.set(job, why);
    if (fields.event === 'supplied' || fields.state === 'supplied' || isFree(claim.kind)) return;
    const { project, credits } = fields;
    const doubt = doubtLine(claim, this.ledger.rates.dearest(claim.kind));
    // A figure that was amended may be that of an earlier attempt: it says nothing about the last one.
    if (project !== undefined && fields.event !== 'amended') {
      if (before?.project === project) return;
      const paid = paidLine(claim, project);
      if (fields.event === 'created' && credits !== undefined)
        this.#charge(doubt, project, credits);
      if (before === undefined) this.put(paid);
      else this.choose(before, paid, why);
    } else if (before === undefined) this.put(doubt);
    else if ((fields.attempt ?? 0) > before.attempt) {
      // A new attempt is begun only when the one before is over.
      this.#note(orphanOf(before, doubt));
      this.put(doubt);
    } else {
      if (fields.name !== undefined && fields.name !== before.name)
        this.#note(orphanOf(doubt, before));
      if (before.state === 'intended' || mayBegin.includes(before.state))
        this.doubt(before, why, fields.event === 'created' ? fields.credits : undefined);
    }
  }

  /** Money's trace: what was charged counts in its run, whatever becomes of the job. */
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
   * It may have been begun, or begun again, in a line that nobody can read. A deleted project stays what it is: nobody
   * pays for it anew unasked. `charged`: what the service said it took, of a project that nobody can name.
   */
  doubt(before: JobLine, why: string, charged?: number): void {
    const { job, kind } = before;
    if (before.state === 'deleted' || isFree(kind)) return;
    this.adjudicated.set(job, why);
    const dearest = this.ledger.rates.dearest(kind);
    const fields = charged === undefined ? {} : { credits: charged };
    const { name, ...line } = doubtLine({ job, kind, before, fields, why }, dearest);
    const open = before.state === 'intended' && name !== undefined;
    this.put(open ? { ...line, name } : { ...line, ...withPast(before) });
  }

  /** Two lines about one job. */
  choose(before: JobLine, line: JobLine, why: string): void {
    const settled = preferred(before, line);
    this.adjudicated.set(line.job, why);
    this.#note(settled.orphans);
    this.put(settled.line);
  }

  #note(orphans: Orphan | undefined): void {
    if (orphans !== undefined) this.orphans.push(orphans);
  }

  put(line: JobLine): void {
    this.ledger.apply({ type: 'job', line });
  }
}

/** Folds an event in as if none were missing before it. */
export function applyNext(ledger: Ledger, event: EventLine): Result<void, string> {
  return ledger.apply({ type: 'event', line: { ...event, seq: ledger.seq + 1 } });
}
