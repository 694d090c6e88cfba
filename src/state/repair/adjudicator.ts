// The fold of a damaged state file. Lines go into a ledger as usual; if a line cannot be applied, the tables in
// precedence.ts decide what becomes of its job.
import { type Result, unreachable } from '../../base/result.ts';
import { unknownKind } from '../../model/job-kind.ts';
import { Ledger } from '../../model/ledger.ts';
import type { EventLine, JobLine } from '../../model/line.ts';
import { type JobEvent, withPast } from '../../model/state.ts';
import { type Claim, doubtLine, paidLine, savedResult, tasksOf } from './claim.ts';
import { type Fields, fieldsOf } from './fragments.ts';
import { type Orphan, orphanOf } from './orphan.ts';
import { mayHaveBegun, preferred, verdictOn } from './precedence.ts';

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
