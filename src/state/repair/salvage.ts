// Folds the readable lines of a state file, one side of a merge at a time. It never stops at a damaged line: a move
// that the transition function does not allow is judged job by job, so that no damage hides a payment.

import { eventSchemas } from '../../model/event-schemas.ts';
import { Ledger } from '../../model/ledger.ts';
import type { EventLine, JobLine, RunLine } from '../../model/line.ts';
import { isJobEvent, jobFacts } from '../../model/state.ts';
import { Adjudicator, applyNext, type KindOf, tasksOf } from './adjudicator.ts';
import { jobOfProject } from './attribution.ts';
import { type Damage, damage, isSame, type ReadableLine, type UnreadableLine } from './damage.ts';
import { type Fields, fieldsOf } from './fragments.ts';
import type { Orphan } from './precedence.ts';
import { lacksProject } from './precedence.ts';

/** Missing or unreadable lines, which may have been payments. */
export interface Gap {
  /** The number of events; undefined if unknown. */
  readonly events?: number;
  /** The last time before the gap, and the first after it, as far as they can be read. */
  readonly after?: string;
  readonly before?: string;
  /** The credits by which the runs exceed the jobs. */
  readonly credits?: number;
  /** The number of missing lines, by the header of the file. */
  readonly lines?: number;
  /** The tasks between which a missing job line belongs: state files are sorted by tasks. */
  readonly between?: readonly [above: string | undefined, below: string | undefined];
}

export interface Salvaged {
  readonly name: History['name'];
  readonly ledger: Ledger;
  /** The ledger of the readable lines alone. Lines that do not fit are omitted. */
  readonly plain: Ledger;
  readonly damages: readonly Damage[];
  readonly orphans: readonly Orphan[];
  readonly gaps: readonly Gap[];
  /** Jobs that were judged, and the reason. */
  readonly adjudicated: ReadonlyMap<string, string>;
}

export function salvage(history: History, kindOf: KindOf): Salvaged {
  const salvager = new Salvager(history, kindOf);
  salvager.foldLines();
  salvager.foldEvents();
  salvager.doubtIdle();
  const { name, plain, damages, gaps } = salvager;
  const { ledger, orphans, adjudicated } = salvager.adjudicator;
  return { name, ledger, plain, damages, orphans, gaps, adjudicated };
}

class Salvager {
  readonly name: History['name'];
  readonly adjudicator: Adjudicator;
  readonly plain = new Ledger();
  readonly damages: Damage[] = [];
  readonly gaps: Gap[] = [];
  readonly #history: History;
  readonly #sequence: Sequence;
  /** The number of the event since which a job may begin again, by job. */
  readonly #idleSince = new Map<string, number>();
  /** Events are missing before this number. */
  #gapBefore = 0;

  constructor(history: History, kindOf: KindOf) {
    this.name = history.name;
    this.#history = history;
    this.#sequence = sequenceOf(history);
    this.adjudicator = new Adjudicator(kindOf);
    this.damages.push(...this.#sequence.damages);
  }

  /** The results of past runs: runs, jobs, and tasks without a job. */
  foldLines(): void {
    const seen = new Map<string, object>();
    for (const { number, state } of this.#history.reads) {
      if (state.type === 'header' || state.type === 'event') continue;
      if (number > this.#sequence.first)
        this.damages.push(damage(number, 'order', `a ${state.type} line among the events`));
      const name = `${state.type} ${state.type === 'run' ? state.line.run : state.type === 'job' ? state.line.job : state.line.task}`;
      const again = isSame(seen.get(name), state.line);
      seen.set(name, state.line);
      if (again) this.damages.push(damage(number, 'doubled', 'this line is here twice'));
      else if (state.type === 'run') this.#foldRun(state.line, number);
      else if (state.type === 'job') this.#foldJob(state.line, number);
      else {
        this.adjudicator.ledger.apply(state);
        this.plain.apply(state);
      }
    }
    for (const lost of this.#sequence.others) this.#foldFields(lost);
  }

  #foldRun(line: RunLine, number: number): void {
    if (this.adjudicator.ledger.runs().some(({ run }) => run === line.run))
      this.damages.push(damage(number, 'doubled', `another run with the number ${line.run}`));
    this.adjudicator.ledger.apply({ type: 'run', line });
    this.plain.apply({ type: 'run', line });
  }

  #foldJob(line: JobLine, number: number): void {
    this.plain.apply({ type: 'job', line });
    const { job, tasks } = line;
    const before = this.adjudicator.ledger.job(job);
    if (lacksProject(line)) {
      const what = `a job that is ${line.state}, without the project that was paid`;
      this.damages.push(damage(number, 'illegal', what, { job, tasks }));
      this.adjudicator.adjudicate(job, fieldsOf(line), what);
    } else if (before === undefined) this.adjudicator.put(line);
    else {
      const what = `a second line of one job: ${before.state} above, ${line.state} here`;
      this.damages.push(damage(number, 'disagree', what, { job, tasks }));
      this.adjudicator.prefer(before, line, what);
    }
  }

  /** A run line or a job line of which only some fields can be read. */
  #foldFields({ number, fields }: UnreadableLine): void {
    const { run, at, charged, refunded = 0, ended, job, project } = fields;
    if (job !== undefined) {
      const what = `its line ${number} cannot be read`;
      const isNew = project !== undefined && job === jobOfProject(project);
      const why = isNew ? `${what}, so it is kept under an id made from its project` : what;
      this.adjudicator.adjudicate(job, fields, why);
    } else if (run !== undefined && at !== undefined && charged !== undefined) {
      const line = { run, at, charged, refunded, ...(ended === undefined ? {} : { ended }) };
      this.adjudicator.ledger.apply({ type: 'run', line });
    } else if (run === undefined && fields.shotlist === undefined && fields.service === undefined)
      this.gaps.push({ between: this.#neighbours(number) });
  }

  #neighbours(number: number): readonly [above: string | undefined, below: string | undefined] {
    let [above, below]: [string | undefined, string | undefined] = [undefined, undefined];
    for (const { number: at, state } of this.#history.reads) {
      if (state.type !== 'job') continue;
      if (at < number) above = state.line.tasks[0];
      if (at > number) below ??= state.line.tasks[0];
    }
    return [above, below];
  }

  foldEvents(): void {
    let [last, explained, trailing] = [0, 0, false];
    let lastAt: string | undefined;
    const after = (): Gap => (lastAt === undefined ? {} : { after: lastAt });
    for (const entry of this.#sequence.entries) {
      if (entry.is === 'lost') {
        const { fields, number } = entry;
        const named = fields.job !== undefined || isAboutNoJob(fields);
        trailing = !named;
        if (named) explained += 1;
        if (fields.job !== undefined)
          this.adjudicator.adjudicate(
            fields.job,
            fields,
            `its event in line ${number} cannot be read`,
          );
        continue;
      }
      const { event, number } = entry;
      const events = event.seq - last - 1 - explained;
      if (events > 0) {
        const missing = `${events} ${events === 1 ? 'event is' : 'events are'} missing`;
        const what = `event ${event.seq} follows event ${last}: ${missing}, and no line says which`;
        this.damages.push(damage(number, 'missing', what));
        this.gaps.push({ events, ...after(), before: event.at });
        this.#gapBefore = event.seq;
      }
      if (event.seq > last) explained = 0;
      [last, lastAt, trailing] = [event.seq, event.at, false];
      this.#foldEvent(event, number);
    }
    if (!trailing) return;
    this.gaps.push(after());
    this.#gapBefore = Number.POSITIVE_INFINITY;
  }

  #foldEvent(event: EventLine, number: number): void {
    applyNext(this.plain, event);
    if (!isJobEvent(event)) {
      applyNext(this.adjudicator.ledger, event);
      return;
    }
    const { ledger } = this.adjudicator;
    this.adjudicator.openRun(event.at);
    const { job } = event;
    const before = ledger.job(job);
    const fed = applyNext(ledger, event);
    if (!fed.ok) {
      const tasks = tasksOf(before, fieldsOf(event));
      this.damages.push(damage(number, 'illegal', fed.error, { job, tasks }));
      this.adjudicator.adjudicateEvent(event, fed.error);
    }
    const after = ledger.job(job);
    if (after !== undefined && after.state !== before?.state && jobFacts[after.state].mayBegin)
      this.#idleSince.set(job, event.seq);
  }

  /** A job that had failed before the gap may have been tried again in the gap, and so may have been paid. */
  doubtIdle(): void {
    const why =
      'events are missing since it failed or was forgotten, so it may have been tried again';
    for (const line of [...this.adjudicator.ledger.jobs()])
      if (jobFacts[line.state].mayBegin && (this.#idleSince.get(line.job) ?? 0) < this.#gapBefore)
        this.adjudicator.doubt(line, why);
  }
}

// The events of a damaged journal in the order of their numbers, each once, with the unreadable lines in their places.

/** One history: the whole file, or one side of a merge. */
export interface History {
  readonly name: 'the file' | 'ours' | 'theirs' | 'base';
  readonly reads: readonly ReadableLine[];
  readonly unread: readonly UnreadableLine[];
}

type SequenceEntry =
  | { readonly is: 'event'; readonly number: number; readonly event: EventLine }
  | { readonly is: 'lost'; readonly number: number; readonly fields: Fields };

export interface Sequence {
  readonly entries: readonly SequenceEntry[];
  readonly damages: readonly Damage[];
  /** Unreadable lines that are not events. */
  readonly others: readonly UnreadableLine[];
  /** The line of the first event. */
  readonly first: number;
}

type Placed = SequenceEntry & { readonly seq: number };

export function sequenceOf({ reads, unread }: History): Sequence {
  const first =
    reads.find(({ state }) => state.type === 'event')?.number ?? Number.POSITIVE_INFINITY;
  const isEvent = ({ number, fields, atEnd = false }: UnreadableLine): boolean =>
    atEnd ||
    fields.event !== undefined ||
    fields.seq !== undefined ||
    (fields.state === undefined && fields.tasks === undefined && number > first);
  const lost = unread.filter(isEvent);
  const placed: Placed[] = [];
  const damages: Damage[] = [];
  const seen = new Map<number, EventLine[]>();
  let [highest, next] = [0, 0];
  // A line without a readable number is placed after the previous event.
  const placeLost = (before: number): void => {
    for (let line = lost[next]; line !== undefined && line.number <= before; line = lost[next]) {
      const { number, fields } = line;
      placed.push({ is: 'lost', seq: fields.seq ?? highest + 0.5, number, fields });
      next += 1;
    }
  };
  for (const { number, state } of reads) {
    if (state.type !== 'event') continue;
    placeLost(number);
    const event = state.line;
    const twins = seen.get(event.seq) ?? [];
    const again = twins.some((twin) => isSame(twin, event));
    if (again) damages.push(damage(number, 'doubled', `event ${event.seq} is here twice`));
    else if (twins.length > 0)
      damages.push(damage(number, 'doubled', `another event with the number ${event.seq}`));
    else if (event.seq < highest)
      damages.push(damage(number, 'order', `event ${event.seq} follows event ${highest}`));
    highest = Math.max(highest, event.seq);
    if (again) continue;
    seen.set(event.seq, [...twins, event]);
    placed.push({ is: 'event', seq: event.seq, number, event });
  }
  placeLost(Number.POSITIVE_INFINITY);
  const entries = placed.sort((a, b) => a.seq - b.seq || a.number - b.number);
  return { entries, damages, others: unread.filter((line) => !isEvent(line)), first };
}

/** An event that is not about a job cannot hide a payment, even if only its name can be read. */
export function isAboutNoJob({ event }: Fields): boolean {
  const schema = Object.entries(eventSchemas).find(([name]) => name === event)?.[1];
  return schema !== undefined && !Object.hasOwn(schema.properties, 'job');
}
