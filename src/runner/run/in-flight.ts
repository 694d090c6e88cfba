// Jobs in flight, and the tasks that wait for them. Tasks with the same fingerprint share one job, and one payment.
import { jobFacts } from '../journal/state.ts';
import type { Step } from '../language/pipeline.ts';
import type { Whereabouts } from '../report/run-event.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { ItemRun } from './items/item-run.ts';
import type { JobOrder } from './jobs/job.ts';
import type { Journal, Notice, Runner } from './jobs/ports.ts';

/** A task that waits for a job. */
export interface Waiter {
  readonly itemRun: ItemRun;
  readonly step: Step;
}

/** `itemRun` and `step` are those of the task that began the job. */
export interface RunningJob extends Waiter {
  /** Undefined for jobs that no other task can share: a download, a copy, a delete, hashing. */
  readonly fingerprint: Fingerprint | undefined;
  readonly order: JobOrder;
  /** Other tasks that need the same result. */
  readonly followers: readonly Waiter[];
}

/** The project behind a job, as far as it is known. */
export function projectOf({ order }: RunningJob, ledger: Journal['ledger']): string | undefined {
  if ('project' in order) return order.project;
  return 'fingerprint' in order ? ledger.job(order.fingerprint)?.project : undefined;
}

/** The place of a job in events. */
export function whereaboutsOf(job: RunningJob, ledger: Journal['ledger']): Whereabouts {
  const item = job.itemRun.item?.key;
  const project = projectOf(job, ledger);
  return {
    task: job.order.task,
    ...(item === undefined ? {} : { item }),
    ...(project === undefined ? {} : { project }),
  };
}

export interface InFlightOptions {
  readonly runner: Runner;
  readonly journal: Pick<Journal, 'ledger'>;
  /** The jobs that this run has begun, in all its phases; undefined if the run excludes no steps, so that nobody asks. */
  readonly begunJobs: Set<Fingerprint> | undefined;
}

/** One turn of the event loop, so that pending notices and signals are processed. */
export const turn = (): Promise<undefined> =>
  new Promise((resolve) => void setImmediate(() => resolve(undefined)));

export class InFlight {
  readonly #o: InFlightOptions;
  readonly #byKey = new Map<string, RunningJob>();
  readonly #byFingerprint = new Map<
    Fingerprint,
    { readonly job: RunningJob; readonly followers: Waiter[] }
  >();
  /** Downloads and deletes, by the job whose project they need. */
  readonly #onProjects = new Map<Fingerprint, Set<JobOrder>>();
  #keys = 0;
  /** Requested, but not resolved yet. */
  #next: Promise<readonly Notice[]> | undefined;

  constructor(options: InFlightOptions) {
    this.#o = options;
  }

  /** The next notices. With `eager`, does not wait, and may return none. */
  async happened(eager: boolean): Promise<readonly Notice[]> {
    this.#next ??= this.#o.runner.next();
    const notices = await (eager ? Promise.race([this.#next, turn()]) : this.#next);
    if (notices !== undefined) this.#next = undefined;
    return notices ?? [];
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** True if a job in flight may end a project that is in progress. */
  get rendersAny(): boolean {
    for (const { order } of this.#byKey.values()) {
      if (order.operation === 'create' || order.operation === 'await') return true;
      if (order.operation === 'attach' && !order.settled) return true;
    }
    return false;
  }

  /** A new job key. */
  key(): string {
    this.#keys += 1;
    return `j${this.#keys}`;
  }

  start({ itemRun, step }: Waiter, fingerprint: Fingerprint | undefined, order: JobOrder): void {
    const followers: Waiter[] = [];
    const job: RunningJob = { itemRun, step, fingerprint, order, followers };
    itemRun.schedule.start(step.name);
    this.#byKey.set(order.key, job);
    if (order.operation === 'download' || order.operation === 'delete') {
      const others = this.#onProjects.get(order.fingerprint);
      if (others === undefined) this.#onProjects.set(order.fingerprint, new Set([order]));
      else others.add(order);
    }
    if (fingerprint !== undefined) {
      this.#byFingerprint.set(fingerprint, { job, followers });
      if (!this.#isDone(fingerprint)) this.#o.begunJobs?.add(fingerprint);
    }
    this.#o.runner.start(order);
  }

  /** True if this run or an earlier one finished the job: a new job for it only refreshes its values. */
  #isDone(fingerprint: Fingerprint): boolean {
    const state = this.#o.journal.ledger.job(fingerprint)?.state;
    return state !== undefined && jobFacts[state].hasResult;
  }

  /** Joins another task's job in flight; false if there is none. */
  join({ itemRun, step }: Waiter, fingerprint: Fingerprint): boolean {
    const shared = this.#byFingerprint.get(fingerprint);
    if (shared === undefined) return false;
    itemRun.schedule.start(step.name);
    shared.followers.push({ itemRun, step });
    return true;
  }

  /** True if a job for this content is in flight. */
  has(fingerprint: Fingerprint): boolean {
    return this.#byFingerprint.has(fingerprint);
  }

  /** True if a job for this content was begun in this run. Only tracked if the run excludes steps. */
  begun(fingerprint: Fingerprint): boolean {
    return this.#o.begunJobs?.has(fingerprint) === true;
  }

  /** True if a download would meet a delete of the same project in flight, or a delete would meet either. */
  clashes(step: Step, fingerprint: Fingerprint): boolean {
    for (const order of this.#onProjects.get(fingerprint) ?? []) {
      if (order.operation === 'delete' || step.kind.operation === 'delete') return true;
    }
    return false;
  }

  get(key: string): RunningJob {
    const job = this.#byKey.get(key);
    if (job === undefined) throw new Error(`bug: there is no job ${key}`);
    return job;
  }

  complete(key: string): RunningJob {
    const job = this.get(key);
    this.#byKey.delete(key);
    const { fingerprint, order } = job;
    if (order.operation === 'download' || order.operation === 'delete') {
      const others = this.#onProjects.get(order.fingerprint);
      others?.delete(order);
      if (others?.size === 0) this.#onProjects.delete(order.fingerprint);
    }
    if (fingerprint !== undefined && this.#byFingerprint.get(fingerprint)?.job === job)
      this.#byFingerprint.delete(fingerprint);
    return job;
  }
}
