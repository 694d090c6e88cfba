// The ledger: all that a state file says, by key. Every sum is a fold over attempts; what another state file paid is left out.
import { asJson, canonical } from '../../base/json.ts';
import { creditsOf, isOver, isPaid } from './job.ts';
import { joined, joinedMark, joinedRun, joinedTask } from './join.ts';
import type { Attempt, Header, Job, Line, MarkLine, Measure, RunLine, TaskLine } from './line.ts';

/** Credits. */
export interface Totals {
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
  readonly #jobs = new Map<string, Job>();
  readonly #runs = new Map<string, RunLine>();
  readonly #tasks = new Map<string, TaskLine>();
  readonly #marks = new Map<string, MarkLine>();
  readonly #jobsOfTask = new Map<string, Set<string>>();
  /** The later takes, by the job of the first. */
  readonly #takes = new Map<string, Set<string>>();
  readonly #projects = new Map<string, string>();

  /** Joins the lines of a file, of two sides of a merge, of HEAD: in any order. */
  static of(lines: Iterable<Line>): Ledger {
    const ledger = new Ledger();
    for (const line of lines) ledger.join(line);
    return ledger;
  }

  /** Takes in a line of another record. True if this one knows more now. Throws `OtherHeader`. */
  join(line: Line): boolean {
    if ('job' in line) {
      const known = this.#jobs.get(line.job);
      const now = known === undefined ? line : joined(known, line);
      this.#putJob(now);
      return known === undefined || !isSame(known, now);
    }
    if ('mark' in line) return joinInto(this.#marks, `${line.mark} ${line.id}`, line, joinedMark);
    if ('task' in line) return joinInto(this.#tasks, line.task, line, joinedTask);
    if ('run' in line) return joinInto(this.#runs, line.run, line, joinedRun);
    if (this.header !== undefined && !isSame(this.header, line))
      throw new OtherHeader(`the headers differ: ${canonical(asJson(line))}`);
    this.header = line;
    return false;
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
    this.#jobs.set(job.job, job);
    for (const task of job.tasks) addTo(this.#jobsOfTask, task, job.job);
    if (job.take !== undefined) addTo(this.#takes, job.take.of, job.job);
    for (const { name, project, clash = [] } of job.attempts)
      for (const id of project === undefined ? clash : [project, ...clash])
        this.#projects.set(id, name);
  }

  job(fingerprint: string): Job | undefined {
    return this.#jobs.get(fingerprint);
  }

  jobs(): Iterable<Job> {
    return this.#jobs.values();
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

  #all(fingerprints: Iterable<string> = []): readonly Job[] {
    return [...fingerprints].flatMap((job) => this.#jobs.get(job) ?? []);
  }

  /** The end of a task without a job; it counts until a job of the task has newer facts. */
  task(task: string): TaskLine | undefined {
    const line = this.#tasks.get(task);
    const isOld = line && this.jobsOfTask(task).some((job) => newsOf(job) > line.at);
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

  hasProject(id: string): boolean {
    return this.#projects.has(id);
  }

  /** Is every other attempt of the job over? A file that was joined in between may have brought one that is not. */
  isAlone(fingerprint: string, attempt: string): boolean {
    const attempts = this.#jobs.get(fingerprint)?.attempts ?? [];
    return attempts.every((other) => other.name === attempt || isOver(other));
  }

  /** Attempts for which this state file paid. */
  *own(): Iterable<Attempt> {
    for (const { attempts } of this.#jobs.values())
      for (const attempt of attempts) if (!attempt.adopted) yield attempt;
  }

  /** Of all runs, or of the attempts that one run sent. */
  totals(run?: string): Totals {
    let [charged, reserved] = [0, 0];
    for (const attempt of this.own()) {
      if (run !== undefined && attempt.run !== run) continue;
      if (attempt.charge === undefined) reserved += creditsOf(attempt);
      else charged += creditsOf(attempt);
    }
    return { charged, reserved };
  }

  /** Credits that attempts of a time cost or hold. `from`, `until`: epoch milliseconds. */
  since(from: number, until: number): number {
    let sum = 0;
    for (const attempt of this.own()) {
      const at = Date.parse(attempt.at);
      if (at >= from && at < until) sum += creditsOf(attempt);
    }
    return sum;
  }

  /** The highest charge for one unit of a measure; undefined if it was never bought. */
  dearest({ of }: Measure): number | undefined {
    let most: number | undefined;
    for (const { measure, charge } of this.own())
      if (measure?.of === of && charge !== undefined)
        most = Math.max(most ?? 0, charge.credits / measure.amount);
    return most;
  }

  /** Runs that say of more creations than are here: lines are missing. What a person has accepted is left out. */
  missing(): readonly MissingCreations[] {
    const found = new Map<string, number>();
    for (const { attempts } of this.#jobs.values())
      for (const { run } of attempts) found.set(run, (found.get(run) ?? 0) + 1);
    return this.runs().flatMap(({ run, creations = 0 }) => {
      const accepted = this.#marks.get(`lost ${run}`);
      const known = (found.get(run) ?? 0) + (accepted?.over ? (accepted.creations ?? 0) : 0);
      return known < creations ? [{ run, creations: creations - known }] : [];
    });
  }

  /** Jobs for which two attempts were paid, which no person has accepted. */
  paidTwice(): readonly Job[] {
    return [...this.#jobs.values()].filter(
      ({ attempts }) => attempts.filter(isUnexpected).length > 1,
    );
  }

  /** Header, marks, runs, tasks, jobs, each sorted: equal records have equal text. */
  *lines(): Iterable<Line> {
    if (this.header !== undefined) yield this.header;
    for (const key of [...this.#marks.keys()].sort()) yield* present(this.#marks.get(key));
    yield* this.runs();
    yield* this.tasks();
    for (const key of [...this.#jobs.keys()].sort()) yield* present(this.#jobs.get(key));
  }
}

/** Paid by this state file, and neither done again on purpose nor accepted by a person. */
const isUnexpected = (attempt: Attempt): boolean =>
  isPaid(attempt) &&
  attempt.state !== 'failed' &&
  !attempt.adopted &&
  attempt.forgotten === undefined &&
  attempt.accepted === undefined;

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

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}

/** The time of the last fact. */
const newsOf = ({ supplied, attempts, outputs }: Job): string =>
  [supplied?.at ?? '', ...attempts.map(({ at }) => at), ...outputs.map(({ at }) => at)]
    .sort()
    .at(-1) ?? '';
