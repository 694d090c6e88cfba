// Folds what can be read of a state file, one side of a merge at a time. It never gives up: what the transition
// function does not allow is weighed job by job, so that no damage makes a payment look as if it had not been.
import type { Result } from '../base/result.ts';
import { type Damage, damage, isSame, type Unread } from './damage.ts';
import {
  doubtLine,
  type Elsewhere,
  elsewhereOf,
  further,
  isFree,
  lacksProject,
  paidLine,
  savedResult,
  tasksOf,
  unknownKind,
} from './evidence.ts';
import { type Fields, fieldsOf } from './fragments.ts';
import { Ledger } from './ledger.ts';
import type { EventLine, JobLine, RunLine } from './line.ts';
import { isAboutNoJob, type Sequence, type Strand, sequenceOf } from './sequence.ts';
import { isJobEvent, type JobEvent } from './state.ts';

/** The step kind of the job that a task asks for; undefined: the pipeline has no such step any more. */
export type KindOf = (task: string) => string | undefined;

/** Lines that nobody can name: they may have been payments. */
export interface Hidden {
  /** How many events; undefined: nobody knows. */
  readonly events?: number;
  /** The last time before them and the first after them, as far as they can be read. */
  readonly after?: string;
  readonly before?: string;
  /** A job line: state files are sorted by tasks, so it stood between these. */
  readonly between?: readonly [above: string | undefined, below: string | undefined];
}

export interface Salvaged {
  readonly name: Strand['name'];
  readonly ledger: Ledger;
  /** What the lines say by themselves: those that do not fit are left out. */
  readonly plain: Ledger;
  readonly damages: readonly Damage[];
  readonly elsewhere: readonly Elsewhere[];
  readonly hidden: readonly Hidden[];
  /** Jobs that were weighed, and why. */
  readonly weighed: ReadonlyMap<string, string>;
}

export function salvage(strand: Strand, kindOf: KindOf): Salvaged {
  const salvager = new Salvager(strand, kindOf);
  salvager.foldLines();
  salvager.foldEvents();
  salvager.doubtFailures();
  return salvager;
}

class Salvager implements Salvaged {
  readonly name: Strand['name'];
  readonly ledger = new Ledger();
  readonly plain = new Ledger();
  readonly damages: Damage[] = [];
  readonly elsewhere: Elsewhere[] = [];
  readonly hidden: Hidden[] = [];
  readonly weighed = new Map<string, string>();
  readonly #strand: Strand;
  readonly #sequence: Sequence;
  readonly #kindOf: KindOf;
  /** The number of the event with which a job failed. */
  readonly #failedAt = new Map<string, number>();
  /** Events are missing before this number. */
  #gapBefore = 0;

  constructor(strand: Strand, kindOf: KindOf) {
    this.name = strand.name;
    this.#strand = strand;
    this.#sequence = sequenceOf(strand);
    this.#kindOf = kindOf;
    this.damages.push(...this.#sequence.damages);
  }

  /** What past runs came to: runs, jobs, and tasks without a job. */
  foldLines(): void {
    const seen = new Map<string, object>();
    for (const { number, state } of this.#strand.reads) {
      if (state.type === 'header' || state.type === 'event') continue;
      if (number > this.#sequence.first)
        this.damages.push(damage(number, 'order', `a ${state.type} line among the events`));
      const name = `${state.type} ${state.type === 'run' ? state.line.run : state.type === 'job' ? state.line.job : state.line.task}`;
      const again = isSame(seen.get(name), state.line);
      seen.set(name, state.line);
      if (again) this.damages.push(damage(number, 'doubled', 'the same line stands here again'));
      else if (state.type === 'run') this.#foldRun(state.line, number);
      else if (state.type === 'job') this.#foldJob(state.line, number);
      else {
        this.ledger.apply(state);
        this.plain.apply(state);
      }
    }
    for (const lost of this.#sequence.others) this.#foldFields(lost);
  }

  #foldRun(line: RunLine, number: number): void {
    if (this.ledger.runs().some(({ run }) => run === line.run))
      this.damages.push(damage(number, 'doubled', `another run with the number ${line.run}`));
    this.ledger.apply({ type: 'run', line });
    this.plain.apply({ type: 'run', line });
  }

  #foldJob(line: JobLine, number: number): void {
    this.plain.apply({ type: 'job', line });
    const { job, tasks } = line;
    const before = this.ledger.job(job);
    if (lacksProject(line)) {
      const what = `a job that is ${line.state}, without the project that was paid`;
      this.damages.push(damage(number, 'illegal', what, { job, tasks }));
      this.#weigh(job, fieldsOf(line), what);
    } else if (before === undefined) this.#put(line);
    else {
      const what = `a second line of one job: ${before.state} above, ${line.state} here`;
      this.damages.push(damage(number, 'disagree', what, { job, tasks }));
      this.#settle(before, line, what);
    }
  }

  /** A run line or a job line of which only fields can be read. */
  #foldFields({ number, fields }: Unread): void {
    const { run, at, charged, refunded = 0, ended, job } = fields;
    if (job !== undefined) this.#weigh(job, fields, `its line ${number} cannot be read`);
    else if (run !== undefined && at !== undefined && charged !== undefined) {
      const line = { run, at, charged, refunded, ...(ended === undefined ? {} : { ended }) };
      this.ledger.apply({ type: 'run', line });
    } else if (run === undefined && fields.shotlist === undefined && fields.service === undefined)
      this.hidden.push({ between: this.#neighbours(number) });
  }

  #neighbours(number: number): readonly [above: string | undefined, below: string | undefined] {
    let [above, below]: [string | undefined, string | undefined] = [undefined, undefined];
    for (const { number: at, state } of this.#strand.reads) {
      if (state.type !== 'job') continue;
      if (at < number) above = state.line.tasks[0];
      if (at > number) below ??= state.line.tasks[0];
    }
    return [above, below];
  }

  foldEvents(): void {
    let [last, explained, trailing] = [0, 0, false];
    let lastAt: string | undefined;
    const after = (): Hidden => (lastAt === undefined ? {} : { after: lastAt });
    for (const entry of this.#sequence.entries) {
      if (entry.is === 'lost') {
        const { fields, number } = entry;
        const named = fields.job !== undefined || isAboutNoJob(fields);
        trailing = !named;
        if (named) explained += 1;
        if (fields.job !== undefined) this.#foldLost(fields.job, fields, number);
        continue;
      }
      const { event, number } = entry;
      const events = event.seq - last - 1 - explained;
      if (events > 0) {
        const missing = `${events} ${events === 1 ? 'event is' : 'events are'} missing`;
        const what = `event ${event.seq} follows event ${last}: ${missing}, and no line says which`;
        this.damages.push(damage(number, 'missing', what));
        this.hidden.push({ events, ...after(), before: event.at });
        this.#gapBefore = event.seq;
      }
      if (event.seq > last) explained = 0;
      [last, lastAt, trailing] = [event.seq, event.at, false];
      this.#foldEvent(event, number);
    }
    if (!trailing) return;
    this.hidden.push(after());
    this.#gapBefore = Number.POSITIVE_INFINITY;
  }

  #foldLost(job: string, fields: Fields, number: number): void {
    const charge = fields.event === 'created' ? fields.credits : undefined;
    this.#weigh(job, fields, `its event in line ${number} cannot be read`, charge);
  }

  #foldEvent(event: EventLine, number: number): void {
    feed(this.plain, event);
    if (!isJobEvent(event)) {
      feed(this.ledger, event);
      return;
    }
    this.#openRun(event.at);
    const before = this.ledger.job(event.job);
    const fed = feed(this.ledger, event);
    if (!fed.ok) return this.#foldIllegal(event, before, number, fed.error);
    const state = this.ledger.job(event.job)?.state;
    if (state === 'failed' && before?.state !== 'failed') this.#failedAt.set(event.job, event.seq);
  }

  /** Credits are counted in a run, also where the line that began it is lost. */
  #openRun(at: string): void {
    if (this.ledger.openRun !== undefined) return;
    const run = (this.ledger.runs().at(-1)?.run ?? 0) + 1;
    this.ledger.apply({ type: 'run', line: { run, at, charged: 0, refunded: 0 } });
  }

  #foldIllegal(event: JobEvent, before: JobLine | undefined, number: number, why: string): void {
    const { job } = event;
    const fields = fieldsOf(event);
    const tasks = tasksOf(before, fields);
    this.damages.push(damage(number, 'illegal', why, { job, tasks }));
    this.weighed.set(job, why);
    if (before?.state === 'created' && event.event === 'output') {
      // Files are saved only of what is complete: the file is kept, and the next run settles the project again.
      this.#put({ ...before, state: 'complete' });
      feed(this.ledger, event);
      this.#put({ ...(this.ledger.job(job) ?? before), state: 'created' });
    } else if (before?.state === 'created' && event.event === 'deleted') {
      const result = before.result === undefined ? savedResult(before.outputs ?? []) : {};
      this.#put({ ...before, ...result, state: 'deleted', at: event.at, tasks });
    } else this.#weigh(job, fields, why, 'project' in event ? fields.credits : undefined);
  }

  /** Decides about a job by a line that cannot be taken as it is. `charge`: the credits that it says were taken. */
  #weigh(job: string, fields: Fields, why: string, charge?: number): void {
    const before = this.ledger.job(job);
    const said = { job, kind: this.#kindFor(before, fields), before, fields, why };
    this.weighed.set(job, why);
    if (fields.event === 'supplied' || fields.state === 'supplied' || isFree(said.kind)) return;
    const doubt = doubtLine(said, this.ledger.dearest(said.kind));
    if (fields.project !== undefined) {
      if (before?.project === fields.project) return;
      const paid = paidLine(said, fields.project);
      if (charge !== undefined) this.#charge(doubt, fields.project, charge);
      if (before === undefined) this.#put(paid);
      else this.#settle(before, paid, why);
    } else if (before === undefined) this.#put(doubt);
    else if ((fields.attempt ?? 0) > before.attempt) {
      // A new attempt is begun only when the one before is over.
      this.#note(elsewhereOf(before, doubt));
      this.#put(doubt);
    } else {
      if (fields.name !== undefined && fields.name !== before.name)
        this.#note(elsewhereOf(doubt, before));
      if (before.state === 'failed' || before.state === 'intended') this.#doubt(before, why);
    }
  }

  /** Money's trace: what was charged counts in its run, whatever becomes of the job. */
  #charge(doubt: JobLine, project: string, credits: number): void {
    const { job, at } = doubt;
    this.#openRun(at);
    this.#put(doubt);
    feed(this.ledger, { seq: 1, event: 'created', at, job, project, credits });
  }

  #kindFor(before: JobLine | undefined, fields: Fields): string {
    const known = fields.kind ?? (before?.kind === unknownKind ? undefined : before?.kind);
    if (known !== undefined) return known;
    const kinds = tasksOf(before, fields).map((task) => this.#kindOf(task));
    return kinds.find((kind) => kind !== undefined) ?? unknownKind;
  }

  /** A failed job that may have been tried again in what is missing may have been paid. */
  doubtFailures(): void {
    for (const line of [...this.ledger.jobs()])
      if (line.state === 'failed' && (this.#failedAt.get(line.job) ?? 0) < this.#gapBefore)
        this.#doubt(
          line,
          'it failed, and events are missing after that: it may have been tried again',
        );
  }

  #doubt(before: JobLine, why: string): void {
    const { job, kind } = before;
    this.weighed.set(job, why);
    this.#put(doubtLine({ job, kind, before, fields: {}, why }, this.ledger.dearest(kind)));
  }

  #settle(before: JobLine, line: JobLine, why: string): void {
    const settled = further(before, line);
    this.weighed.set(line.job, why);
    this.#note(settled.elsewhere);
    this.#put(settled.line);
  }

  #note(elsewhere: Elsewhere | undefined): void {
    if (elsewhere !== undefined) this.elsewhere.push(elsewhere);
  }

  #put(line: JobLine): void {
    this.ledger.apply({ type: 'job', line });
  }
}

/** Folds an event in as if none were missing before it. */
function feed(ledger: Ledger, event: EventLine): Result<void, string> {
  return ledger.apply({ type: 'event', line: { ...event, seq: ledger.seq + 1 } });
}
