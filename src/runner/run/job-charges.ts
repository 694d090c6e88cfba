// The charges of the jobs in flight, for the budget: by key, by item, and the sum of what the ledger does not hold yet.
// Thousands of jobs may be in flight, so the sum is kept, and made again only when estimates change.
import type { Expectation } from '../plan/estimate.ts';
import type { ItemRun } from './item-run.ts';

/**
 * A job that is paid or about to be paid, and not over. `reserved`: nothing is sent yet. `intended`: the ledger holds
 * its reserve. `doubt`: the same, but an answer may never come. `charged`: the service has reported a charge, and may
 * still correct it. `over`: its credits no longer change.
 */
export interface JobCharge {
  readonly itemRun: ItemRun;
  readonly task: string;
  /** The basis of the estimate; set for a creation of this run. */
  readonly expectation: Expectation | undefined;
  /** Credits that an earlier run was charged for this job. */
  readonly before: number;
  stage: 'reserved' | 'intended' | 'doubt' | 'charged' | 'over';
  /** Credits that the item has committed to this job: the reserve, then the charge. */
  credits: number;
  /** The charge that the service has reported. */
  charged: number;
  /** Its part of the last sum of open credits. */
  open: number;
}

const none: ReadonlySet<JobCharge> = new Set();

export class JobCharges {
  readonly #worst: (one: JobCharge) => number;
  readonly #byKey = new Map<string, JobCharge>();
  readonly #byItem = new Map<ItemRun, Set<JobCharge>>();
  #sum = 0;
  #version = -1;

  /** `worst`: the most credits that the job may cost, by current knowledge. */
  constructor(worst: (one: JobCharge) => number) {
    this.#worst = worst;
  }

  get(key: string): JobCharge | undefined {
    return this.#byKey.get(key);
  }

  values(): Iterable<JobCharge> {
    return this.#byKey.values();
  }

  /** The elements of a fan-out belong to their item. */
  ofItem({ root }: ItemRun): Iterable<JobCharge> {
    return this.#byItem.get(root) ?? none;
  }

  add(key: string, one: JobCharge): void {
    this.#byKey.set(key, one);
    const { root } = one.itemRun;
    const others = this.#byItem.get(root);
    if (others === undefined) this.#byItem.set(root, new Set([one]));
    else others.add(one);
  }

  remove(key: string): void {
    const one = this.#byKey.get(key);
    if (one === undefined) return;
    this.#byKey.delete(key);
    const { root } = one.itemRun;
    const others = this.#byItem.get(root);
    others?.delete(one);
    if (others?.size === 0) this.#byItem.delete(root);
    this.#sum -= one.open;
    // Errors of rounding do not add up.
    if (this.#byKey.size === 0) this.#sum = 0;
  }

  /** Call when the stage or the credits of a charge have changed. */
  changed(one: JobCharge): void {
    const open = this.#openOf(one);
    this.#sum += open - one.open;
    one.open = open;
  }

  /** Credits that the ledger does not hold yet. `version`: of the rates that `worst` follows. */
  open(version: number): number {
    if (this.#version !== version) {
      this.#version = version;
      this.#sum = 0;
      for (const one of this.#byKey.values()) {
        one.open = this.#openOf(one);
        this.#sum += one.open;
      }
    }
    return this.#sum;
  }

  #openOf(one: JobCharge): number {
    return this.#worst(one) - (one.stage === 'reserved' ? 0 : one.credits);
  }
}
