// The ledger: jobs by fingerprint, and the credits that were reserved, charged and refunded. Built by folding the
// journal.
import { err, ok, type Result } from '../base/result.ts';
import { type JobStore, memoryStore } from './job-store.ts';
import type { EventLine, JobLine, Measure, RunLine, StateLine, TaskLine } from './line.ts';
import { afterAdoption, chargedHere, isJobEvent, jobFacts, stateAfter } from './state.ts';
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
  readonly #jobs: JobStore;
  readonly #tasks = new Map<string, TaskLine>();
  readonly #runs: RunLine[] = [];
  /** Jobs whose project is not known to be over, by fingerprint. */
  readonly #unsettled = new Map<string, JobLine>();
  /** Jobs that may be paid, and nobody knows, by fingerprint. */
  readonly #doubts = new Map<string, JobLine>();
  /** The number of failed jobs of each task. */
  readonly #failedJobs = new Map<string, number>();
  readonly takes = new TakeIndex((job) => this.job(job));
  /** The actual charges, for estimates of creations to come. */
  readonly rates = new Rates();
  #reserved = 0;
  #size = 0;
  #seq = 0;

  constructor(jobs: JobStore = memoryStore()) {
    this.#jobs = jobs;
  }

  job(fingerprint: string): JobLine | undefined {
    return this.#jobs.get(fingerprint);
  }

  /** The number of jobs. */
  get size(): number {
    return this.#size;
  }

  jobs(): Iterable<JobLine> {
    return this.#jobs.sorted();
  }

  /** The projects of all jobs, those of past attempts included. */
  *projects(): Iterable<string> {
    for (const { project, past = [] } of this.jobs()) {
      if (project !== undefined) yield project;
      for (const attempt of past) if (attempt.project !== undefined) yield attempt.project;
    }
  }

  /** The paths of all recorded outputs. */
  *outputPaths(): Iterable<string> {
    for (const { outputs = [] } of this.jobs()) for (const { path } of outputs) yield path;
  }

  /** Jobs whose project was created and is not known to be over. */
  unsettled(): Iterable<JobLine> {
    return this.#unsettled.values();
  }

  /** Jobs that may be paid, and nobody knows; in a run also those that wait for an answer. */
  doubts(): Iterable<JobLine> {
    return this.#doubts.values();
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

  /** The number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  /** Call after compaction: the events of the file are counted from 1 again. */
  restart(): void {
    this.#seq = 0;
  }

  /** The run in progress, or the one that was interrupted. */
  get openRun(): RunLine | undefined {
    const last = this.#runs.at(-1);
    return last?.ended === undefined ? last : undefined;
  }

  /** The totals of the current run. Reservations of earlier runs count too, because they are still open. */
  get account(): CreditTotals {
    const { charged = 0, refunded = 0 } = this.openRun ?? {};
    return { charged, refunded, reserved: this.#reserved };
  }

  /** The totals of all runs. */
  get total(): CreditTotals {
    let [charged, refunded] = [0, 0];
    for (const run of this.#runs) {
      charged += run.charged;
      refunded += run.refunded;
    }
    return { charged, refunded, reserved: this.#reserved };
  }

  /** A plan counts with a job before a journal records that it is adopted. */
  adopt(line: JobLine): void {
    const before = this.#jobs.get(line.job);
    this.#put(afterAdoption(before, line), before);
  }

  /** A plan counts with what becomes of a job, or no longer does, before a journal records it. */
  foresee(line: JobLine): void {
    this.#put(line, this.#jobs.get(line.job));
  }

  /**
   * Folds one line in. `text`: the line as it is in the state file. On failure, the error says why: the journal is corrupt,
   * or shotlist has a bug.
   */
  apply(state: StateLine, text?: string): Result<void, string> {
    switch (state.type) {
      case 'header':
        return ok(undefined);
      case 'run':
        this.#runs.push(state.line);
        return ok(undefined);
      case 'job':
        this.#put(state.line, this.#jobs.get(state.line.job), text);
        return ok(undefined);
      case 'task':
        this.#putTask(state.line);
        return ok(undefined);
      case 'event':
        return this.#applyEvent(state.line, text);
    }
  }

  #applyEvent(event: EventLine, text: string | undefined): Result<void, string> {
    if (event.seq !== this.#seq + 1)
      return err(`event ${event.seq} follows event ${this.#seq}: lines are missing or doubled`);
    this.#seq = event.seq;
    if (isJobEvent(event)) {
      const before = this.#jobs.get(event.job);
      const moved = stateAfter(before, event);
      if (!moved.ok) return moved;
      if (this.#tasks.size > 0 && 'task' in event && event.task !== undefined)
        this.#tasks.delete(event.task);
      const after = event.event === 'intent' ? this.#sentNow(moved.value) : moved.value;
      // What is known of a free job is one event, in most cases.
      const tellsAll = before === undefined && event.event === 'supplied';
      this.#put(after, before, tellsAll ? text : undefined);
      const difference = chargedHere(after) - chargedHere(before);
      if (difference !== 0) this.#count(difference, after.sender);
      return ok(undefined);
    }
    switch (event.event) {
      case 'run':
        if (this.openRun === undefined)
          this.#runs.push({
            run: event.run,
            ...(event.due === undefined ? {} : { due: event.due }),
            at: event.at,
            charged: 0,
            refunded: 0,
          });
        return ok(undefined);
      case 'ended':
        this.#amend((run) => ({ ...run, ended: event.at }));
        return ok(undefined);
      case 'failed':
      case 'skipped':
        this.#putTask({
          task: event.task,
          state: event.event,
          why: event.why,
          ...(event.event === 'failed' && event.code !== undefined ? { code: event.code } : {}),
        });
        return ok(undefined);
    }
  }

  /** The pipeline alone shows that a task is skipped, so a skip is recorded only after a failure. */
  #putTask(line: TaskLine): void {
    if (line.state === 'failed' || this.#failedJobs.has(line.task))
      this.#tasks.set(line.task, line);
    else this.#tasks.delete(line.task);
  }

  #put(line: JobLine, before: JobLine | undefined, text?: string): void {
    if (before === undefined) this.#size += 1;
    this.#countFailed(before, -1);
    this.#countFailed(line, 1);
    this.#reserved += reserveOf(line) - reserveOf(before);
    if (line.state === 'created') this.#unsettled.set(line.job, line);
    else if (before?.state === 'created') this.#unsettled.delete(line.job);
    if (jobFacts[line.state].inDoubt) this.#doubts.set(line.job, line);
    else if (before !== undefined && jobFacts[before.state].inDoubt) this.#doubts.delete(line.job);
    this.rates.learn(line, before);
    this.takes.learn(line);
    this.#jobs.set(line, text);
  }

  #countFailed(line: JobLine | undefined, by: 1 | -1): void {
    if (line?.state !== 'failed') return;
    for (const task of line.tasks) {
      const jobs = (this.#failedJobs.get(task) ?? 0) + by;
      if (jobs === 0) this.#failedJobs.delete(task);
      else this.#failedJobs.set(task, jobs);
    }
  }

  #sentNow(line: JobLine): JobLine {
    const sender = this.#runs.at(-1)?.run;
    return sender === undefined ? line : { ...line, sender };
  }

  /**
   * Books credits to the run that sent the request, even if a later run learns of them: a refund of an earlier run's
   * charge must not enlarge the budget of this run. If the sender is unknown, the last run counts.
   */
  #count(difference: number, sender: number | undefined): void {
    const sent = this.#runs.findLastIndex(({ run }) => run === sender);
    this.#amend(
      (run) => ({
        ...run,
        charged: run.charged + Math.max(0, difference),
        refunded: run.refunded + Math.max(0, -difference),
      }),
      sent === -1 ? this.#runs.length - 1 : sent,
    );
  }

  #amend(change: (run: RunLine) => RunLine, index = this.#runs.length - 1): void {
    const run = this.#runs[index];
    if (run !== undefined) this.#runs[index] = change(run);
  }
}

function reserveOf(line: JobLine | undefined): number {
  return line !== undefined && jobFacts[line.state].inDoubt ? (line.reserve ?? 0) : 0;
}

// Rates: the actual charges of creations, so that estimates follow the service and not only a price list.

class Rates {
  /** The highest credits per unit of a measure. */
  readonly #rates = new Map<string, number>();
  /** The highest ratio of a charge to its reserve, by step kind. */
  readonly #overruns = new Map<string, number>();
  /** The highest charge of one creation, by step kind. */
  readonly #dearest = new Map<string, number>();
  #version = 0;

  /** Grows whenever an estimate may have changed. */
  get version(): number {
    return this.#version;
  }

  /**
   * Learns from the highest charge that the service reported for a job, even if it refunded part of it later. `before`: the
   * same job as it was learnt last.
   */
  learn(line: JobLine, before?: JobLine): void {
    if (before !== undefined && isSameCharge(before, line)) return;
    const { kind, state, credits = 0, peak = 0, reserve = 0, measure } = line;
    if (!charged.includes(state) && peak === 0) return;
    const most = charged.includes(state) ? Math.max(credits, peak) : peak;
    this.#raise(this.#dearest, kind, most);
    if (reserve > 0) this.#raise(this.#overruns, kind, Math.max(1, most / reserve));
    if (measure !== undefined) this.#raise(this.#rates, measure.of, most / measure.amount);
  }

  #raise(highest: Map<string, number>, of: string, number: number): void {
    const before = highest.get(of);
    if (before !== undefined && before >= number) return;
    highest.set(of, number);
    this.#version += 1;
  }

  /** True if any creation of this step kind was charged. */
  knows(kind: string): boolean {
    return this.#dearest.has(kind);
  }

  /** In credits; 0 if none was charged yet. */
  dearest(kind: string): number {
    return this.#dearest.get(kind) ?? 0;
  }

  /** In credits, rounded up, by the highest charge for the same kind of order; undefined if there was none. */
  expected({ of, amount }: Measure): number | undefined {
    const rate = this.#rates.get(of);
    return rate === undefined ? undefined : Math.ceil(rate * amount - 1e-6);
  }

  /** At least 1: the factor for an estimate of this step kind if nothing better is known. */
  overrun(kind: string): number {
    return this.#overruns.get(kind) ?? 1;
  }
}

/** States in which the service has reported a charge and has not refunded it. */
const charged: readonly JobLine['state'][] = ['created', 'complete', 'deleted'];

/** The measure of a job is the same object from its intent on. */
const isSameCharge = (one: JobLine, other: JobLine): boolean =>
  one.credits === other.credits &&
  one.peak === other.peak &&
  one.reserve === other.reserve &&
  one.measure === other.measure &&
  charged.includes(one.state) === charged.includes(other.state);
