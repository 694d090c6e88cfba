// The scales on which a job is laid when a line about it cannot be taken as it is: what the line still says against
// what is known already. Whatever comes out, a payment never looks as if it had not been.
import type { Result } from '../../contract/base/result.ts';
import { Ledger } from '../journal/ledger.ts';
import type { EventLine, JobLine } from '../journal/line.ts';
import { type JobEvent, jobFacts, unknownKind, withPast } from '../journal/state.ts';
import {
  doubtLine,
  type Elsewhere,
  elsewhereOf,
  further,
  isFree,
  paidLine,
  savedResult,
  tasksOf,
} from './evidence.ts';
import { type Fields, fieldsOf } from './fragments.ts';

/** The step kind of the job that a task asks for; undefined: the pipeline has no such step any more. */
export type KindOf = (task: string) => string | undefined;

export class Scales {
  readonly ledger = new Ledger();
  readonly elsewhere: Elsewhere[] = [];
  /** Jobs that were weighed, and why. */
  readonly weighed = new Map<string, string>();
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
  weighEvent(event: JobEvent, why: string): void {
    const { job } = event;
    const before = this.ledger.job(job);
    this.weighed.set(job, why);
    if (before?.state === 'created' && event.event === 'output') {
      // Files are saved only of what is complete: the file is kept, and the next run settles the project again.
      this.put({ ...before, state: 'complete' });
      feed(this.ledger, event);
      this.put({ ...(this.ledger.job(job) ?? before), state: 'created' });
    } else if (before?.state === 'created' && event.event === 'deleted') {
      const result = before.result === undefined ? savedResult(before.outputs ?? []) : {};
      const tasks = tasksOf(before, fieldsOf(event));
      this.put({ ...before, ...result, state: 'deleted', at: event.at, tasks });
    } else this.weigh(job, fieldsOf(event), why);
  }

  /** What can be read of a line about a job. */
  weigh(job: string, fields: Fields, why: string): void {
    const before = this.ledger.job(job);
    const said = { job, kind: this.#kindFor(before, fields), before, fields, why };
    this.weighed.set(job, why);
    if (fields.event === 'supplied' || fields.state === 'supplied' || isFree(said.kind)) return;
    const { project, credits } = fields;
    const doubt = doubtLine(said, this.ledger.rates.dearest(said.kind));
    // A figure that was amended may be that of an earlier attempt: it says nothing about the last one.
    if (project !== undefined && fields.event !== 'amended') {
      if (before?.project === project) return;
      const paid = paidLine(said, project);
      if (fields.event === 'created' && credits !== undefined)
        this.#charge(doubt, project, credits);
      if (before === undefined) this.put(paid);
      else this.settle(before, paid, why);
    } else if (before === undefined) this.put(doubt);
    else if ((fields.attempt ?? 0) > before.attempt) {
      // A new attempt is begun only when the one before is over.
      this.#note(elsewhereOf(before, doubt));
      this.put(doubt);
    } else {
      if (fields.name !== undefined && fields.name !== before.name)
        this.#note(elsewhereOf(doubt, before));
      if (before.state === 'intended' || jobFacts[before.state].mayBegin)
        this.doubt(before, why, fields.event === 'created' ? fields.credits : undefined);
    }
  }

  /** Money's trace: what was charged counts in its run, whatever becomes of the job. */
  #charge(doubt: JobLine, project: string, credits: number): void {
    const { job, at } = doubt;
    this.openRun(at);
    this.put(doubt);
    feed(this.ledger, { seq: 1, event: 'created', at, job, project, credits });
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
    this.weighed.set(job, why);
    const dearest = this.ledger.rates.dearest(kind);
    const fields = charged === undefined ? {} : { credits: charged };
    const { name, ...line } = doubtLine({ job, kind, before, fields, why }, dearest);
    const open = before.state === 'intended' && name !== undefined;
    this.put(open ? { ...line, name } : { ...line, ...withPast(before) });
  }

  /** Two lines about one job. */
  settle(before: JobLine, line: JobLine, why: string): void {
    const settled = further(before, line);
    this.weighed.set(line.job, why);
    this.#note(settled.elsewhere);
    this.put(settled.line);
  }

  #note(elsewhere: Elsewhere | undefined): void {
    if (elsewhere !== undefined) this.elsewhere.push(elsewhere);
  }

  put(line: JobLine): void {
    this.ledger.apply({ type: 'job', line });
  }
}

/** Folds an event in as if none were missing before it. */
export function feed(ledger: Ledger, event: EventLine): Result<void, string> {
  return ledger.apply({ type: 'event', line: { ...event, seq: ledger.seq + 1 } });
}
