// Jobs in the air: which tasks wait for which job. Tasks with one fingerprint share one job, and one payment.
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { ItemRun } from './item-run.ts';
import type { JobOrder } from './jobs/job.ts';
import type { Notice, Runner } from './jobs/ports.ts';

export interface Waiter {
  readonly itemRun: ItemRun;
  readonly step: Step;
}

export interface RunningJob extends Waiter {
  /** Undefined for jobs that no other task can share: a download, a copy, a delete, hashing. */
  readonly fingerprint: Fingerprint | undefined;
  readonly order: JobOrder;
  /** Other tasks that want the same. */
  readonly followers: Waiter[];
  /** Credits that an earlier run was charged for it. */
  readonly before: number;
  /** Credits that the service has said it charged for it. */
  charged: number;
}

/** One turn of the event loop: what is ready is heard, and so are signals. */
const turn = (): Promise<undefined> =>
  new Promise((resolve) => void setImmediate(() => resolve(undefined)));

export class InFlight {
  readonly #runner: Runner;
  readonly #byKey = new Map<string, RunningJob>();
  readonly #byFingerprint = new Map<Fingerprint, RunningJob>();
  #keys = 0;
  /** Asked for, and not come yet. */
  #next: Promise<readonly Notice[]> | undefined;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** What happened next. With `eager` nothing is waited for: it may be none. */
  async happened(eager: boolean): Promise<readonly Notice[]> {
    this.#next ??= this.#runner.next();
    const notices = await (eager ? Promise.race([this.#next, turn()]) : this.#next);
    if (notices !== undefined) this.#next = undefined;
    return notices ?? [];
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** A name for the next job. */
  key(): string {
    this.#keys += 1;
    return `j${this.#keys}`;
  }

  start({ itemRun, step }: Waiter, fingerprint: Fingerprint | undefined, order: JobOrder): void {
    const before = order.operation === 'attach' ? order.credits : 0;
    const charges = { before, charged: before };
    const running: RunningJob = { itemRun, step, fingerprint, order, followers: [], ...charges };
    itemRun.schedule.start(step.name);
    this.#byKey.set(order.key, running);
    if (fingerprint !== undefined) this.#byFingerprint.set(fingerprint, running);
    this.#runner.start(order);
  }

  /** Joins a job that is in the air for another task; false: there is none. */
  join({ itemRun, step }: Waiter, fingerprint: Fingerprint): boolean {
    const running = this.#byFingerprint.get(fingerprint);
    if (running === undefined) return false;
    itemRun.schedule.start(step.name);
    running.followers.push({ itemRun, step });
    return true;
  }

  /** True when a job for this content is in the air. */
  has(fingerprint: Fingerprint): boolean {
    return this.#byFingerprint.has(fingerprint);
  }

  /** Would a download meet a delete of the same project in the air, or a delete either? */
  clashes(step: Step, fingerprint: Fingerprint): boolean {
    for (const { order } of this.#byKey.values()) {
      if (order.operation !== 'download' && order.operation !== 'delete') continue;
      if (order.fingerprint !== fingerprint) continue;
      if (order.operation === 'delete' || step.kind.operation === 'delete') return true;
    }
    return false;
  }

  get(key: string): RunningJob {
    const running = this.#byKey.get(key);
    if (running === undefined) throw new Error(`bug: there is no job ${key}`);
    return running;
  }

  complete(key: string): RunningJob {
    const running = this.get(key);
    this.#byKey.delete(key);
    const { fingerprint } = running;
    if (fingerprint !== undefined && this.#byFingerprint.get(fingerprint) === running)
      this.#byFingerprint.delete(fingerprint);
    return running;
  }
}
