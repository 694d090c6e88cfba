// Orders in flight, and the tasks that wait for them. Tasks with the same fingerprint share one order, and one payment.

import type { Whereabouts } from '../core/run-event.ts';
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import type { Ledger } from '../model/ledger.ts';
import { jobFacts } from '../model/state.ts';
import type { ItemTask } from './item-walk.ts';
import type { JobOrder, JobOutcome } from './jobs/job.ts';

/** `itemRun` and `step` are those of the task that began the job. */
export interface RunningJob extends ItemTask {
  /** Undefined for jobs that no other task can share: a download, a copy, a delete, hashing. */
  readonly fingerprint: Fingerprint | undefined;
  readonly order: JobOrder;
}

/** How a job ended, for each task that waited for it. */
export interface JobEnd {
  readonly job: RunningJob;
  readonly outcome: Exclude<JobOutcome, { readonly is: 'bug' }>;
  /** What this run was charged for it. */
  readonly credits: number;
}

/** The project behind a job, as far as it is known. */
export function projectOf({ order }: RunningJob, ledger: Ledger): string | undefined {
  if ('project' in order) return order.project;
  return 'fingerprint' in order ? ledger.job(order.fingerprint)?.project : undefined;
}

/** The place of a job in events. */
export function whereaboutsOf(job: RunningJob, ledger: Ledger): Whereabouts {
  const item = job.itemRun.item?.key;
  const project = projectOf(job, ledger);
  return {
    task: job.order.task,
    item,
    project,
  };
}

export class InFlight {
  readonly #ledger: Ledger;
  readonly #begunJobs: Set<Fingerprint> | undefined;
  readonly #jobs = new Set<RunningJob>();
  readonly #shared = new Map<
    Fingerprint,
    { readonly job: RunningJob; readonly end: Promise<JobEnd> }
  >();
  /** Downloads and deletes, by the job whose project they need. */
  readonly #onProjects = new Map<Fingerprint, Set<JobOrder>>();
  #keys = 0;

  /** `begunJobs`: the jobs that this run has begun, in all its phases; undefined if the run excludes no steps, so that nobody asks. */
  constructor(ledger: Ledger, begunJobs: Set<Fingerprint> | undefined) {
    this.#ledger = ledger;
    this.#begunJobs = begunJobs;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** True if a job in flight follows a project, or is about to create one. */
  get followsAny(): boolean {
    for (const { order } of this.#jobs) {
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

  /** From now on, other tasks can share the job. `perform` ends with `over`. */
  start(job: RunningJob, perform: () => Promise<JobEnd>): Promise<JobEnd> {
    const { fingerprint, order } = job;
    this.#jobs.add(job);
    if (order.operation === 'download' || order.operation === 'delete') {
      const others = this.#onProjects.get(order.fingerprint);
      if (others === undefined) this.#onProjects.set(order.fingerprint, new Set([order]));
      else others.add(order);
    }
    if (fingerprint === undefined) return perform();
    if (!this.#isDone(fingerprint)) this.#begunJobs?.add(fingerprint);
    const end = perform();
    this.#shared.set(fingerprint, { job, end });
    return end;
  }

  /** True if this run or an earlier one finished the job: a new job for it only refreshes its values. */
  #isDone(fingerprint: Fingerprint): boolean {
    const state = this.#ledger.job(fingerprint)?.state;
    return state !== undefined && jobFacts[state].hasResult;
  }

  /** The end of the job in flight for this content, if there is one. */
  shared(fingerprint: Fingerprint): Promise<JobEnd> | undefined {
    return this.#shared.get(fingerprint)?.end;
  }

  /** True if a job for this content is in flight. */
  has(fingerprint: Fingerprint): boolean {
    return this.#shared.has(fingerprint);
  }

  /** True if a job for this content was begun in this run. Only tracked if the run excludes steps. */
  begun(fingerprint: Fingerprint): boolean {
    return this.#begunJobs?.has(fingerprint) === true;
  }

  /** True if a step would meet a delete of the same project in flight, or a delete would meet a download. */
  clashes(step: Step, fingerprint: Fingerprint): boolean {
    for (const order of this.#onProjects.get(fingerprint) ?? []) {
      if (order.operation === 'delete' || step.kind.operation === 'delete') return true;
    }
    return false;
  }

  over(job: RunningJob): void {
    const { fingerprint, order } = job;
    this.#jobs.delete(job);
    if (order.operation === 'download' || order.operation === 'delete') {
      const others = this.#onProjects.get(order.fingerprint);
      others?.delete(order);
      if (others?.size === 0) this.#onProjects.delete(order.fingerprint);
    }
    if (fingerprint !== undefined && this.#shared.get(fingerprint)?.job === job)
      this.#shared.delete(fingerprint);
  }
}
