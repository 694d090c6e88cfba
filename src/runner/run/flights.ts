// Jobs in the air: which tasks wait for which job. Tasks with one fingerprint share one job, and one payment.
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { ItemRun } from './item-run.ts';
import type { JobOrder } from './jobs/job.ts';
import type { Notice, Runner } from './jobs/ports.ts';

export interface Passenger {
  readonly itemRun: ItemRun;
  readonly step: Step;
}

export interface Flight extends Passenger {
  /** Undefined for jobs that no other task can share: a download, a copy, a delete, hashing. */
  readonly fingerprint: Fingerprint | undefined;
  readonly order: JobOrder;
  /** Other tasks that want the same. */
  readonly followers: Passenger[];
  /** Credits that an earlier run was charged for it. */
  readonly before: number;
  /** Credits that the service has said it charged for it. */
  charged: number;
}

/** One turn of the event loop: what is ready is heard, and so are signals. */
const turn = (): Promise<undefined> =>
  new Promise((resolve) => void setImmediate(() => resolve(undefined)));

export class Flights {
  readonly #runner: Runner;
  readonly #byKey = new Map<string, Flight>();
  readonly #byFingerprint = new Map<Fingerprint, Flight>();
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

  start({ itemRun, step }: Passenger, fingerprint: Fingerprint | undefined, order: JobOrder): void {
    const before = order.operation === 'attach' ? order.credits : 0;
    const charges = { before, charged: before };
    const flight: Flight = { itemRun, step, fingerprint, order, followers: [], ...charges };
    itemRun.schedule.start(step.name);
    this.#byKey.set(order.key, flight);
    if (fingerprint !== undefined) this.#byFingerprint.set(fingerprint, flight);
    this.#runner.start(order);
  }

  /** Joins a job that is in the air for another task; false: there is none. */
  join({ itemRun, step }: Passenger, fingerprint: Fingerprint): boolean {
    const flight = this.#byFingerprint.get(fingerprint);
    if (flight === undefined) return false;
    itemRun.schedule.start(step.name);
    flight.followers.push({ itemRun, step });
    return true;
  }

  /** True when a job for this content is in the air. */
  has(fingerprint: Fingerprint): boolean {
    return this.#byFingerprint.has(fingerprint);
  }

  /** Would a download meet a delete of the same project in the air, or a delete either? */
  clash(step: Step, fingerprint: Fingerprint): boolean {
    for (const { order } of this.#byKey.values()) {
      if (order.operation !== 'download' && order.operation !== 'delete') continue;
      if (order.fingerprint !== fingerprint) continue;
      if (order.operation === 'delete' || step.kind.operation === 'delete') return true;
    }
    return false;
  }

  get(key: string): Flight {
    const flight = this.#byKey.get(key);
    if (flight === undefined) throw new Error(`bug: there is no job ${key}`);
    return flight;
  }

  land(key: string): Flight {
    const flight = this.get(key);
    this.#byKey.delete(key);
    const { fingerprint } = flight;
    if (fingerprint !== undefined && this.#byFingerprint.get(fingerprint) === flight)
      this.#byFingerprint.delete(fingerprint);
    return flight;
  }
}
