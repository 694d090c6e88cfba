// The ledger: all that a state file says, by key. Every sum is one over attempts; what another state file paid is left out.
import { asJson, canonical } from '../../base/json.ts';
import { creditsOf, current, isClash, isOpen, isOver, isOwn, isUnexpected } from './job.ts';
import { joined, joinedMark, joinedRun, joinedTask } from './join.ts';
import {
  type Attempt,
  type Header,
  type Job,
  type Line,
  lineText,
  type MarkLine,
  type Measure,
  type RunLine,
  type TaskLine,
} from './line.ts';

/** Credits. */
export interface Totals {
  /** Refunds are taken off. */
  readonly charged: number;
  /** Set aside for attempts whose charge is unknown. */
  readonly reserved: number;
}

/** Creations of a run of which there is no attempt here. */
export interface MissingCreations {
  readonly run: string;
  readonly creations: number;
}

/** The record is of another pipeline or service. */
export class OtherHeader extends Error {}

export class Ledger {
  header: Header | undefined;
  /** A job is text until somebody asks for it: 100,000 jobs take 70 MB as texts and 250 MB as objects. */
  readonly #texts = new Map<string, string>();
  /** The jobs that were asked for or changed lately. */
  readonly #warm = new Map<string, Job>();
  /** Those of them whose text is of an earlier time. */
  readonly #changed = new Set<string>();
  readonly #runs = new Map<string, RunLine>();
  readonly #tasks = new Map<string, TaskLine>();
  readonly #marks = new Map<string, MarkLine>();
  readonly #jobsOfTask = new Map<string, string | readonly string[]>();
  /** The later takes, by the job of the first. */
  readonly #takes = new Map<string, string | readonly string[]>();
  readonly #projects = new Set<string>();
  readonly #sums = new Sums();

  /** Joins the lines of a file, of two sides of a merge, of HEAD: in any order. */
  static of(lines: Iterable<Line>): Ledger {
    const ledger = new Ledger();
    for (const line of lines) ledger.join(line);
    return ledger;
  }

  /**
   * Takes in a line of another record. True if this one knows more now. `text`: the line as it is written, if the caller
   * has it. Throws `OtherHeader`.
   */
  join(line: Line, text?: string): boolean {
    if ('job' in line) {
      const known = this.job(line.job);
      if (known === undefined) {
        this.#texts.set(line.job, text ?? lineText(line));
        this.#index(line);
        return true;
      }
      const now = joined(known, line);
      if (isSame(known, now)) return false;
      this.put(now);
      return true;
    }
    if ('mark' in line) return joinInto(this.#marks, `${line.mark} ${line.id}`, line, joinedMark);
    if ('task' in line) {
      const isNews = joinInto(this.#tasks, line.task, line, joinedTask);
      return isNews && this.task(line.task) !== undefined;
    }
    if ('run' in line) return joinInto(this.#runs, line.run, line, joinedRun);
    if (this.header !== undefined && !isSame(this.header, line))
      throw new OtherHeader(`the headers differ: ${canonical(asJson(line))}`);
    this.header = line;
    return false;
  }

  /** True if this is the line of a job, word for word. Most lines of another copy are, and need not be parsed. */
  holds(text: string): boolean {
    const job = text.startsWith(jobStart) ? text.slice(jobStart.length, jobStart.length + 64) : '';
    return this.#texts.has(job) && this.textOf(job) === text;
  }

  /** Replaces a line by what became of it. */
  put(line: Line): void {
    if ('job' in line) this.#putJob(line);
    else if ('mark' in line) this.#marks.set(`${line.mark} ${line.id}`, line);
    else if ('task' in line) this.#tasks.set(line.task, line);
    else if ('run' in line) this.#runs.set(line.run, line);
    else this.header = line;
  }

  #putJob(job: Job): void {
    const before = this.job(job.job);
    if (before === undefined) this.#texts.set(job.job, '');
    else this.#sums.add(before, -1);
    this.#keepWarm(job);
    this.#changed.add(job.job);
    this.#index(job);
  }

  #index(job: Job): void {
    this.#sums.add(job, 1);
    for (const task of job.tasks) addTo(this.#jobsOfTask, task, job.job);
    if (job.take !== undefined) addTo(this.#takes, job.take.of, job.job);
    for (const { project, clash = [] } of job.attempts)
      for (const id of project === undefined ? clash : [project, ...clash]) this.#projects.add(id);
  }

  #keepWarm(job: Job): void {
    if (this.#warm.size >= mostWarm) {
      for (const changed of this.#changed) this.#texts.set(changed, this.textOf(changed));
      this.#changed.clear();
      this.#warm.clear();
    }
    this.#warm.set(job.job, job);
  }

  /** The line of a job; empty if there is none. */
  textOf(fingerprint: string): string {
    const job = this.#changed.has(fingerprint) ? this.#warm.get(fingerprint) : undefined;
    return job === undefined ? (this.#texts.get(fingerprint) ?? '') : lineText(job);
  }

  job(fingerprint: string): Job | undefined {
    const job = this.#peek(fingerprint);
    if (job !== undefined && !this.#warm.has(fingerprint)) this.#keepWarm(job);
    return job;
  }

  #peek(fingerprint: string): Job | undefined {
    const warm = this.#warm.get(fingerprint);
    if (warm !== undefined) return warm;
    const text = this.#texts.get(fingerprint);
    return text === undefined ? undefined : jobIn(text);
  }

  *jobs(): Generator<Job> {
    for (const fingerprint of this.#texts.keys()) yield* present(this.#peek(fingerprint));
  }

  /** The jobs with an attempt whose files are not all saved where they belong. Most are not, and need not be parsed. */
  *withDestinations(): Generator<Job> {
    for (const job of this.#saying(/"to":/)) if (job.attempts.some(({ to }) => to)) yield job;
  }

  /** The jobs with an attempt of which nobody knows what became, or of which records name different projects. */
  *inDoubt(): Generator<Job> {
    const isDoubt = (one: Attempt): boolean => (isOpen(one) || isClash(one)) && !isOver(one);
    for (const job of this.#saying(/"state":"(?:intended|doubt)"|"clash":/))
      if (job.attempts.some(isDoubt)) yield job;
  }

  /** The jobs with a project that renders, as far as the record knows. */
  *rendering(): Generator<Job> {
    for (const job of this.#saying(/"state":"created"/))
      if (current(job)?.state === 'created') yield job;
  }

  *#saying(pattern: RegExp): Generator<Job> {
    for (const fingerprint of [...this.#texts.keys()])
      if (pattern.test(this.textOf(fingerprint))) yield* present(this.#peek(fingerprint));
  }

  /** The number of jobs. */
  get size(): number {
    return this.#texts.size;
  }

  /** True if it has no run and no job, and never had them in a database. */
  get isEmpty(): boolean {
    const wasAway = [...this.#marks.values()].some(({ mark }) => mark === 'away');
    return this.#runs.size === 0 && this.#texts.size === 0 && !wasAway;
  }

  jobsOfTask(task: string): readonly Job[] {
    return this.#all(this.#jobsOfTask.get(task));
  }

  /** The takes after the first, the second first. */
  takes(first: string): readonly Job[] {
    return [...this.#all(this.#takes.get(first))].sort(
      (a, b) => (a.take?.number ?? 1) - (b.take?.number ?? 1),
    );
  }

  /** The jobs of all requests with several takes. One that is lost is left out. */
  firstTakes(): readonly Job[] {
    return this.#all([...this.#takes.keys()].sort());
  }

  #all(fingerprints: string | readonly string[] = []): readonly Job[] {
    const all = typeof fingerprints === 'string' ? [fingerprints] : fingerprints;
    return all.flatMap((job) => this.job(job) ?? []);
  }

  /** The end of a task without a job; it counts until a job of the task has newer facts. */
  task(task: string): TaskLine | undefined {
    const line = this.#tasks.get(task);
    const isOld = line && this.jobsOfTask(task).some((job) => newsOf(job, task) > line.at);
    return isOld ? undefined : line;
  }

  tasks(): readonly TaskLine[] {
    return [...this.#tasks.keys()].sort().flatMap((task) => this.task(task) ?? []);
  }

  /** The oldest first. */
  runs(): readonly RunLine[] {
    return [...this.#runs.values()].sort((a, b) => (a.at + a.run < b.at + b.run ? -1 : 1));
  }

  /** Those that nobody has taken off. */
  marks(): readonly MarkLine[] {
    return [...this.#marks.values()].filter(({ over }) => over === undefined);
  }

  mark(mark: MarkLine['mark'], id: string): MarkLine | undefined {
    return this.#marks.get(`${mark} ${id}`);
  }

  hasProject(id: string): boolean {
    return this.#projects.has(id);
  }

  /** Is every other attempt of the job over? A file that was joined in between may have brought one that is not. */
  isAlone(fingerprint: string, attempt: string): boolean {
    const attempts = this.job(fingerprint)?.attempts ?? [];
    return attempts.every((other) => other.name === attempt || isOver(other));
  }

  /** Attempts for which this state file paid. */
  *own(): Generator<Attempt> {
    for (const { attempts } of this.jobs())
      for (const attempt of attempts) if (!attempt.adopted) yield attempt;
  }

  /** How many jobs receipts should know of this state file. */
  get ownJobs(): number {
    return this.#sums.ownJobs;
  }

  /** Of all runs, or of the attempts that one run sent. */
  totals(run?: string): Totals {
    return this.#sums.totals(run);
  }

  /** Credits that attempts of a time cost or hold, to the minute. `from`, `until`: epoch milliseconds. */
  since(from: number, until: number): number {
    return this.#sums.since(from, until);
  }

  /** When the last attempt was sent, to the minute, in epoch milliseconds; undefined if none was. */
  get lastSent(): number | undefined {
    return this.#sums.lastSent;
  }

  /** Of all jobs. */
  get attempts(): number {
    return this.#sums.attempts;
  }

  /** How many creations of a run are here. */
  sent(run: string): number {
    return this.#sums.sent(run);
  }

  /** The highest charge for one unit of a measure; undefined if it was never bought. */
  dearest({ of }: Measure): number | undefined {
    return this.#sums.dearest(of);
  }

  /** Runs that say of more creations than are here: lines are missing. What a person has accepted is left out. */
  missing(): readonly MissingCreations[] {
    return this.runs().flatMap(({ run, creations = 0 }) => {
      const accepted = this.mark('lost', run);
      const known = this.#sums.sent(run) + (accepted?.over ? (accepted.creations ?? 0) : 0);
      return known < creations ? [{ run, creations: creations - known }] : [];
    });
  }

  /** Jobs for which two attempts were paid, which no person has accepted. */
  paidTwice(): readonly Job[] {
    return this.#all([...this.#sums.paidTwice]);
  }

  /** Header, marks, runs, tasks, jobs, each sorted: equal records have equal text. */
  *texts(): Generator<string> {
    yield* this.textsBeforeJobs();
    for (const job of [...this.#texts.keys()].sort()) yield this.textOf(job);
  }

  *textsBeforeJobs(): Generator<string> {
    if (this.header !== undefined) yield lineText(this.header);
    for (const key of [...this.#marks.keys()].sort())
      for (const mark of present(this.#marks.get(key))) yield lineText(mark);
    for (const run of this.runs()) yield lineText(run);
    for (const task of this.tasks()) yield lineText(task);
  }
}

/** How each line of a job begins; its fingerprint has 64 digits. */
const jobStart = '{"job":"';

/** A run works on far fewer jobs at a time. */
const mostWarm = 4096;

/** Of a text that was checked when it was joined, or that a job was written to. */
function jobIn(text: string): Job {
  const job: Job = JSON.parse(text);
  return job;
}

/** What attempts add up to, kept as they change. Money and measures: only of those that this state file paid. */
class Sums {
  readonly #all = { charged: 0, reserved: 0 };
  readonly #byRun = new Map<string, { charged: number; reserved: number }>();
  readonly #byMinute = new Map<number, number>();
  /** How often each charge for one unit of a measure occurs. */
  readonly #units = new Map<string, Map<number, number>>();
  /** The highest of them, once somebody has asked. */
  readonly #dearest = new Map<string, number>();
  /** Attempts of each run, adopted ones too. */
  readonly #sent = new Map<string, number>();
  readonly paidTwice = new Set<string>();
  ownJobs = 0;
  attempts = 0;

  add(job: Job, sign: 1 | -1): void {
    this.attempts += sign * job.attempts.length;
    if (isOwn(job)) this.ownJobs += sign;
    for (const attempt of job.attempts) {
      increase(this.#sent, attempt.run, sign);
      if (!attempt.adopted) this.#addOwn(attempt, sign);
    }
    if (sign === 1 && job.attempts.filter(isUnexpected).length > 1) this.paidTwice.add(job.job);
    else this.paidTwice.delete(job.job);
  }

  #addOwn(attempt: Attempt, sign: 1 | -1): void {
    const { run, at, charge, gaveUp, measure } = attempt;
    const credits = sign * creditsOf(attempt);
    const ofRun = this.#byRun.get(run) ?? { charged: 0, reserved: 0 };
    this.#byRun.set(run, ofRun);
    const kind = charge === undefined && gaveUp === undefined ? 'reserved' : 'charged';
    this.#all[kind] += credits;
    ofRun[kind] += credits;
    increase(this.#byMinute, minuteOf(Date.parse(at)), credits);
    if (charge === undefined || measure === undefined) return;
    const units = this.#units.get(measure.of) ?? new Map<number, number>();
    this.#units.set(measure.of, units);
    const unit = charge.credits / measure.amount;
    increase(units, unit, sign);
    const dearest = this.#dearest.get(measure.of);
    if (dearest === undefined) return;
    if (unit > dearest) this.#dearest.set(measure.of, unit);
    else if (unit === dearest && !units.has(unit)) this.#dearest.delete(measure.of);
  }

  totals(run?: string): Totals {
    const { charged, reserved } = run === undefined ? this.#all : (this.#byRun.get(run) ?? nothing);
    return { charged, reserved };
  }

  since(from: number, until: number): number {
    let sum = 0;
    for (const [minute, credits] of this.#byMinute)
      if (minute >= minuteOf(from) && minute * minuteMs < until) sum += credits;
    return sum;
  }

  get lastSent(): number | undefined {
    let last: number | undefined;
    for (const minute of this.#byMinute.keys()) last = Math.max(last ?? minute, minute);
    return last === undefined ? undefined : last * minuteMs;
  }

  dearest(of: string): number | undefined {
    const known = this.#dearest.get(of);
    if (known !== undefined) return known;
    let most: number | undefined;
    for (const unit of this.#units.get(of)?.keys() ?? []) most = Math.max(most ?? 0, unit);
    if (most !== undefined) this.#dearest.set(of, most);
    return most;
  }

  sent(run: string): number {
    return this.#sent.get(run) ?? 0;
  }
}

const nothing: Totals = { charged: 0, reserved: 0 };

const minuteMs = 60_000;
const minuteOf = (ms: number): number => Math.floor(ms / minuteMs);

/** A sum of nothing is no entry. */
function increase<K>(sums: Map<K, number>, key: K, by: number): void {
  const sum = (sums.get(key) ?? 0) + by;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}

const present = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);

const isSame = (one: Line, other: Line): boolean =>
  one === other || canonical(asJson(one)) === canonical(asJson(other));

function joinInto<T extends Line>(
  lines: Map<string, T>,
  key: string,
  line: T,
  join: (a: T, b: T) => T,
): boolean {
  const known = lines.get(key);
  const now = known === undefined ? line : join(known, line);
  lines.set(key, now);
  return known === undefined || !isSame(known, now);
}

/** Most have one, which needs no list. */
function addTo(values: Map<string, string | readonly string[]>, key: string, value: string): void {
  const known = values.get(key) ?? [];
  if (known.length === 0) values.set(key, value);
  else if (typeof known !== 'string') {
    if (!known.includes(value)) values.set(key, [...known, value]);
  } else if (known !== value) values.set(key, [known, value]);
}

/** The time of the last fact of a job about one of its tasks. */
const newsOf = ({ supplied, attempts, outputs }: Job, task: string): string =>
  [
    supplied?.at ?? '',
    ...attempts.map(({ at }) => at),
    ...outputs.flatMap((output) => (output.task === task ? [output.at] : [])),
  ]
    .sort()
    .at(-1) ?? '';
