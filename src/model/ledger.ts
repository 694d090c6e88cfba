// The ledger as the core reads it: jobs by fingerprint, and the credits that were reserved, charged and refunded. It is a
// view of the record of a state file.
import { err, ok, type Result } from '../base/result.ts';
import { type AboutAttempt, movesOf, unknownRun, viewOf } from './job-view.ts';
import type { EventLine, JobLine, RunLine, TaskLine } from './line.ts';
import { stateAfter as jobAfter } from './record/job.ts';
import { Ledger as Record } from './record/ledger.ts';
import type { Job, Line, TaskLine as RecordedTask } from './record/line.ts';
import { isJobEvent, type JobEvent, jobFacts } from './state.ts';
import { TakeIndex } from './take-index.ts';

/** Credits. A budget is compared with `committed`. */
export interface CreditTotals {
  readonly charged: number;
  readonly refunded: number;
  /** Set aside for creations that were begun and whose charge is unknown, including those in doubt. */
  readonly reserved: number;
}

export const committed = (account: CreditTotals): number =>
  account.charged - account.refunded + account.reserved;

export class Ledger {
  /** What the state file says. */
  readonly record: Record;
  /** The views of jobs that were asked for. */
  readonly #jobs = new Map<string, JobLine>();
  /** The ids of the runs, as the record names them. */
  readonly #runIds: string[] = [];
  /** The id of the run in progress; another record may have brought later ones. */
  #current: string | undefined;
  /** What has changed in the record, by key. */
  readonly #changes = new Map<string, Line>();
  readonly #tasks = new Map<string, TaskLine>();
  readonly #runs: RunLine[] = [];
  /** Jobs that may be paid, and nobody knows, by fingerprint. */
  readonly #doubts = new Set<string>();
  /** The number of failed jobs of each task. */
  readonly #failedJobs = new Map<string, number>();
  readonly takes = new TakeIndex((job) => this.job(job));
  /** Until a job changes. */
  #sorted: readonly JobLine[] | undefined;
  readonly #learnt = { charged: 0, refunded: 0 };
  #reserved = 0;
  #size = 0;

  constructor(record: Record = new Record()) {
    this.record = record;
    this.refresh();
  }

  /** Until what this returns is called, what is joined into an empty record is learnt as it comes. */
  learnLoaded(): () => void {
    const { record } = this;
    record.onJob = (now, before) =>
      this.#learn(this.#viewOf(now), before === undefined ? undefined : this.#viewOf(before));
    return () => {
      record.onJob = undefined;
      this.#readRest(record);
    };
  }

  /** Reads the record again: another program has changed the state file, and what it says was joined in. */
  refresh(): void {
    const { record } = this;
    for (const one of [this.#jobs, this.#doubts, this.#failedJobs]) one.clear();
    [this.#size, this.#reserved] = [0, 0];
    this.#sorted = undefined;
    for (const job of record.jobs()) this.#learn(this.#viewOf(job), undefined);
    this.#readRest(record);
  }

  /** All but the jobs. */
  #readRest(record: Record): void {
    const known = new Map(this.#runs.map((line, index) => [this.#runIds[index], line]));
    this.#tasks.clear();
    [this.#runs.length, this.#runIds.length] = [0, 0];
    for (const { run, at, ended, due } of record.runs()) {
      const { refunded = 0 } = known.get(run) ?? {};
      this.#runIds.push(run);
      this.#runs.push({
        run: this.#runIds.length,
        at,
        charged: record.totals(run).charged + refunded,
        refunded,
        ...(ended === undefined ? {} : { ended }),
        ...(due === undefined ? {} : { due }),
      });
    }
    for (const { task, ending, fault } of record.tasks()) {
      if (ending === 'done') continue;
      const code = ending === 'failed' && fault.code !== '' ? { code: fault.code } : {};
      this.#putTask({ task, state: ending, why: fault.message, ...code });
    }
  }

  #viewOf(job: Job): JobLine {
    return viewOf(job, (run) => {
      const index = this.#runIds.indexOf(run);
      return index === -1 ? undefined : index + 1;
    });
  }

  job(fingerprint: string): JobLine | undefined {
    const known = this.#jobs.get(fingerprint);
    const job = known === undefined ? this.record.job(fingerprint) : undefined;
    if (job === undefined) return known;
    const view = this.#viewOf(job);
    this.#jobs.set(fingerprint, view);
    return view;
  }

  /** The number of jobs. */
  get size(): number {
    return this.#size;
  }

  /** All jobs, by the name of their first task, then by fingerprint. */
  jobs(): Iterable<JobLine> {
    this.#sorted ??= this.#sortedJobs();
    return this.#sorted;
  }

  #sortedJobs(): readonly JobLine[] {
    const all = new Map(this.#jobs);
    for (const job of this.record.jobs())
      if (!all.has(job.job)) all.set(job.job, this.#viewOf(job));
    return [...all.values()].sort((a, b) => (comesBefore(a, b) ? -1 : 1));
  }

  /** The projects of all jobs, those of past attempts included. */
  *projects(): Iterable<string> {
    for (const { project, past = [] } of this.jobs()) {
      if (project !== undefined) yield project;
      for (const attempt of past) if (attempt.project !== undefined) yield attempt.project;
    }
  }

  /** Jobs that may be paid, and nobody knows; in a run also those that wait for an answer. */
  *doubts(): Generator<JobLine> {
    for (const job of this.#doubts) yield* this.#lines(job);
  }

  #lines(job: string): readonly JobLine[] {
    const line = this.job(job);
    return line === undefined ? [] : [line];
  }

  /** A task that failed before its job began, or a task of a failed job that is now skipped. */
  task(task: string): TaskLine | undefined {
    return this.#tasks.get(task);
  }

  tasks(): readonly TaskLine[] {
    return [...this.#tasks.values()].sort((a, b) => (a.task < b.task ? -1 : 1));
  }

  /** True if this end of a task without a job is new. A skip is new only after a failure. */
  lacks({ task, state, why }: TaskLine): boolean {
    const known = this.#tasks.get(task);
    if (state === 'failed') return known?.state !== 'failed' || known.why !== why;
    return known === undefined ? this.#failedJobs.has(task) : known.state === 'failed';
  }

  runs(): readonly RunLine[] {
    return this.#runs;
  }

  /** The run in progress, or the one that was interrupted. */
  get openRun(): RunLine | undefined {
    const last = this.#runs.at(this.#lastIndex);
    return last?.ended === undefined ? last : undefined;
  }

  get #lastIndex(): number {
    const current = this.#current === undefined ? -1 : this.#runIds.indexOf(this.#current);
    return current === -1 ? this.#runs.length - 1 : current;
  }

  get #runId(): string {
    return this.#runIds[this.#lastIndex] ?? unknownRun;
  }

  /** Credits that attempts of a time cost or hold. `from`, `until`: epoch milliseconds. */
  since(from: number, until: number): number {
    return this.record.since(from, until);
  }

  /** When the last attempt was sent, in epoch milliseconds; undefined if none was. */
  get lastSent(): number | undefined {
    return this.record.lastSent;
  }

  /** The totals of the current run. Reservations of earlier runs count too, because they are still open. */
  get account(): CreditTotals {
    const { charged = 0, refunded = 0 } = this.openRun ?? {};
    return { charged, refunded, reserved: this.#reserved };
  }

  /** What events have said of charges and refunds. What other records brought meanwhile is not in it. */
  get learnt(): Pick<CreditTotals, 'charged' | 'refunded'> {
    return { ...this.#learnt };
  }

  /** The totals of all runs. */
  get total(): CreditTotals {
    const refunded = this.#runs.reduce((sum, run) => sum + run.refunded, 0);
    // What no run of this file has sent counts, too.
    const charged = this.record.totals().charged + refunded;
    return { charged, refunded, reserved: this.#reserved };
  }

  /** What the record says of a job. */
  lineOf(job: string): Job | undefined {
    return this.record.job(job);
  }

  /** Takes in what another record knows of a job, for the journal to write. False if that is nothing new. */
  know(line: Job): boolean {
    const { record } = this;
    const before = this.job(line.job);
    if (!record.join(line)) return false;
    const now = record.job(line.job) ?? line;
    this.#changes.set(keyOf(now), now);
    this.#put(this.#viewOf(now), before);
    return true;
  }

  /** The lines of the record that have changed since the last call. */
  takeChanges(): readonly Line[] {
    const lines = [...this.#changes.values()];
    this.#changes.clear();
    return lines;
  }

  /** Folds an event in. On failure, the error says why: shotlist has a bug. */
  apply(event: EventLine, about?: AboutAttempt): Result<void, string> {
    if (isJobEvent(event)) {
      const before = this.job(event.job);
      const paid = this.record.totals().charged;
      const moved = this.#move(event, about);
      if (!moved.ok) return moved;
      if (this.#tasks.size > 0 && 'task' in event && event.task !== undefined)
        this.#endTask(event.task, event.at);
      const after = moved.value;
      this.#put(after, before);
      // Not by what was known before: another program may have brought more of the job meanwhile.
      const difference = this.record.totals().charged - paid;
      if (difference !== 0) this.#count(difference, after.sender);
      return ok(undefined);
    }
    switch (event.event) {
      case 'run':
        if (this.openRun === undefined) this.#begin(event);
        return ok(undefined);
      case 'ended':
        this.#amend((run) => ({ ...run, ended: event.at }));
        for (const run of this.record.runs())
          if (run.ended === undefined)
            this.#change({ ...run, ended: event.at, creations: this.#creationsOf(run.run) });
        return ok(undefined);
      case 'failed':
      case 'skipped': {
        const { task, why } = event;
        const code = event.event === 'failed' ? event.code : undefined;
        const line = { task, state: event.event, why, ...(code === undefined ? {} : { code }) };
        this.#putTask(line);
        if (this.#tasks.get(task) === line)
          this.#recordTask(task, event.event, { code: code ?? '', message: why }, event.at);
        else if (event.event === 'skipped') this.#recordTask(task, 'done', ended, event.at);
        return ok(undefined);
      }
    }
  }

  /** What an event makes of the record. */
  #move(event: JobEvent, about: AboutAttempt | undefined): Result<JobLine, string> {
    const { record } = this;
    const known = record.job(event.job);
    let job = known;
    const run = this.#runId;
    for (const move of movesOf(known, event, run, about)) job = jobAfter(job, move, run, event.at);
    if (job === undefined) return err(`${event.event} cannot follow nothing (job ${event.job})`);
    this.#change(job);
    return ok(this.#viewOf(job));
  }

  #change(line: Line): void {
    this.record.put(line);
    this.#changes.set(keyOf(line), line);
  }

  #begin({
    run,
    due,
    at,
    id = `${at}-${run}`,
  }: Extract<EventLine, { readonly event: 'run' }>): void {
    const named = { ...(due === undefined ? {} : { due }) };
    this.#runs.push({ run, ...named, at, charged: 0, refunded: 0 });
    const name = this.#runIds.includes(id) ? `${id}-${run}` : id;
    this.#runIds.push(name);
    this.#current = name;
    this.#change({ run: name, at, ...named });
  }

  #creationsOf(run: string): number {
    let count = 0;
    for (const { attempts } of this.record.jobs())
      for (const attempt of attempts) if (attempt.run === run) count += 1;
    return count;
  }

  /** The failure of a task no longer stands. */
  #endTask(task: string, at: string): void {
    if (!this.#tasks.delete(task)) return;
    this.#recordTask(task, 'done', ended, at);
  }

  #recordTask(
    task: string,
    ending: RecordedTask['ending'],
    fault: RecordedTask['fault'],
    at: string,
  ): void {
    const known = this.record.task(task);
    // Later than what it replaces, whatever the clock says.
    const time =
      known !== undefined && known.at >= at ? new Date(Date.parse(known.at) + 1).toISOString() : at;
    this.#change({ task, at: time, run: this.#runId, ending, fault });
  }

  /** The pipeline alone shows that a task is skipped, so a skip is recorded only after a failure. */
  #putTask(line: TaskLine): void {
    if (line.state === 'failed' || this.#failedJobs.has(line.task))
      this.#tasks.set(line.task, line);
    else this.#tasks.delete(line.task);
  }

  #put(line: JobLine, before: JobLine | undefined): void {
    this.#jobs.set(line.job, line);
    this.#sorted = undefined;
    this.#learn(line, before);
  }

  #learn(line: JobLine, before: JobLine | undefined): void {
    if (before === undefined) this.#size += 1;
    this.#countFailed(before, -1);
    this.#countFailed(line, 1);
    this.#reserved += reserveOf(line) - reserveOf(before);
    if (jobFacts[line.state].inDoubt) this.#doubts.add(line.job);
    else if (before !== undefined && jobFacts[before.state].inDoubt) this.#doubts.delete(line.job);
    this.takes.learn(line);
  }

  #countFailed(line: JobLine | undefined, by: 1 | -1): void {
    if (line?.state !== 'failed') return;
    for (const task of line.tasks) {
      const jobs = (this.#failedJobs.get(task) ?? 0) + by;
      if (jobs === 0) this.#failedJobs.delete(task);
      else this.#failedJobs.set(task, jobs);
    }
  }

  /**
   * Books credits to the run that sent the request, even if a later run learns of them: a refund of an earlier run's
   * charge must not enlarge the budget of this run. If the sender is unknown, the last run counts.
   */
  #count(difference: number, sender: number | undefined): void {
    this.#learnt.charged += Math.max(0, difference);
    this.#learnt.refunded += Math.max(0, -difference);
    const sent = this.#runs.findLastIndex(({ run }) => run === sender);
    this.#amend(
      (run) => ({
        ...run,
        charged: run.charged + Math.max(0, difference),
        refunded: run.refunded + Math.max(0, -difference),
      }),
      sent === -1 ? this.#lastIndex : sent,
    );
  }

  #amend(change: (run: RunLine) => RunLine, index = this.#lastIndex): void {
    const run = this.#runs[index];
    if (run !== undefined) this.#runs[index] = change(run);
  }
}

/** The order of jobs for people: that of their tasks. */
function comesBefore(one: JobLine, other: JobLine): boolean {
  const [task = ''] = one.tasks;
  const [otherTask = ''] = other.tasks;
  return task === otherTask ? one.job < other.job : task < otherTask;
}

const ended: RecordedTask['fault'] = { code: '', message: '' };

const keyOf = (line: Line): string =>
  'job' in line
    ? line.job
    : 'mark' in line
      ? `${line.mark} ${line.id}`
      : 'task' in line
        ? line.task
        : 'run' in line
          ? line.run
          : '';

function reserveOf(line: JobLine | undefined): number {
  return line !== undefined && jobFacts[line.state].inDoubt ? (line.reserve ?? 0) : 0;
}
