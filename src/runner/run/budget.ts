// The budget: decides whether a creation may be sent, and counts every credit that a run counts in memory. Credits are
// reserved before a job starts, so that two tasks cannot spend the same credit; from the intent on, the ledger holds
// the reserve. A job that is not over counts at its current estimate, so a charge above its estimate immediately raises
// the estimates of similar jobs.
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { NewEvent } from '../journal/line.ts';
import { type Estimate, type Expectation, estimated } from '../plan/estimate.ts';
import { SpendingLimits, type SpendingLimitsOptions } from '../plan/spending-limits.ts';
import type { EndWithoutJob, Wait } from './action.ts';
import type { ItemRun } from './items/item-run.ts';
import { type JobCharge, JobCharges } from './job-charges.ts';
import type { JobOrder } from './jobs/job.ts';
import type { Clock } from './jobs/ports.ts';

export interface BudgetOptions extends SpendingLimitsOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** The most credits that one item may charge. */
  readonly perItem: number | undefined;
  /** Called when the run must buy nothing more, also nothing that it was going to buy already. */
  readonly onClosed?: (why: string) => void;
}

/** `instead`: what the task does without a grant. */
export type Grant =
  | { readonly granted: true; readonly reserve: number }
  | { readonly granted: false; readonly instead: Wait | EndWithoutJob };

/** Why this run buys nothing more. */
export interface Closed {
  readonly because: 'budget' | 'credits' | 'machine' | 'failures' | 'saving' | 'left';
  readonly why: string;
  /** Epoch milliseconds: when a day or a month with a new budget begins. */
  readonly until?: number;
}

interface ItemCredits {
  /** Credits charged or set aside by any run; `budget.per_item` limits them. */
  committed: number;
  /** Credits charged by this run, minus refunds. */
  paid: number;
}

const wait = { granted: false, instead: { action: 'wait' } } as const;

const ended = (ending: 'failed' | 'pending' | 'later', why: string): Grant => ({
  granted: false,
  instead: { action: 'end', ending, why },
});

export class Budget {
  readonly #o: BudgetOptions;
  readonly #limits: SpendingLimits;
  readonly #charges: JobCharges;
  readonly #items = new WeakMap<ItemRun, ItemCredits>();
  /** Jobs whose charge may still become lower: paid jobs that are not over, and creations without an answer. */
  readonly #unsettled = new Set<string>();
  #closed: Closed | undefined;
  #writtenOff = 0;

  constructor(options: BudgetOptions) {
    this.#o = options;
    this.#limits = new SpendingLimits(options);
    this.#charges = new JobCharges((one) => this.#worst(one));
  }

  get closed(): Closed | undefined {
    return this.#closed;
  }

  /** Stops all buying. The first reason stays, unless it was only to save other results first. */
  close(closed: Closed): void {
    const saving = this.#closed?.because === 'saving';
    if (this.#closed !== undefined && !(saving && closed.because === 'machine')) return;
    this.#closed = closed;
    // What a budget has granted before it was reached is within it.
    if (closed.because !== 'budget') this.#o.onClosed?.(closed.why);
  }

  /** `others`: what other takes of the request have cost its item. */
  ask(itemRun: ItemRun, expectation: Expectation, others = 0): Grant {
    const { perItem } = this.#o;
    if (this.#closed?.because === 'left') return ended('later', this.#closed.why);
    if (this.#closed !== undefined) return ended('pending', this.#closed.why);
    const estimate = this.#estimate(expectation);
    const capped = !this.#limits.isEmpty || perItem !== undefined;
    if (!estimate.known) {
      if (!capped) return { granted: true, reserve: 0 };
      return ended(
        'failed',
        `a budget needs the price of every task, and this one is not known: ${estimate.why}`,
      );
    }
    const reserve = estimate.credits;
    if (capped && this.#isUntried(expectation)) return wait;
    const passed = this.#limits.isEmpty
      ? undefined
      : this.#limits.passedBy(reserve, this.#moment());
    if (passed !== undefined) {
      if (this.#unsettled.size > 0) return wait;
      this.close({ because: 'budget', ...passed });
      return ended('pending', passed.why);
    }
    const spent = perItem === undefined ? 0 : this.#spentOn(itemRun) + others;
    if (perItem !== undefined && spent + reserve > perItem) {
      const why = `its item has a budget of ${perItem} credits: ${spent} are spent or set aside, this would take ${reserve}`;
      return ended('pending', why);
    }
    return { granted: true, reserve };
  }

  /**
   * Checked again right before a creation is recorded, and before it is sent: while it waited, other charges may have
   * exceeded their reserves, prices may have risen, or the budget may have been closed. The creation's own reserve
   * grows with its estimate. Returns the reserve, or why the creation must not be sent.
   */
  recheck(key: string): Result<number, string> {
    const own = this.#charges.get(key);
    if (own === undefined) throw new Error(`bug: nothing was reserved for ${key}`);
    if (this.#closed !== undefined && this.#closed.because !== 'budget')
      return err(this.#closed.why);
    const { perItem } = this.#o;
    const needed = this.#worst(own);
    const passed = this.#limits.isEmpty ? undefined : this.#limits.passed(this.#moment());
    if (passed !== undefined) return err(passed.why);
    if (perItem !== undefined && this.#spentOn(own.itemRun) > perItem)
      return err(
        `its item has a budget of ${perItem} credits: prices rose to ${needed} while it waited`,
      );
    if (own.stage === 'reserved') this.#set(own, needed);
    return ok(own.credits);
  }

  #estimate(expectation: Expectation): Estimate {
    return estimated(expectation, this.#o.journal.ledger);
  }

  /**
   * Under a cap, the first creation of a step kind goes alone, and so does the first with other settings: only its
   * charge is a reliable price.
   */
  #isUntried({ kind, measure }: Expectation): boolean {
    const { rates } = this.#o.journal.ledger;
    const known = rates.knows(kind);
    if (known && rates.expected(measure) !== undefined) return false;
    for (const { stage, expectation: other } of this.#charges.values())
      if (other !== undefined && (stage === 'reserved' || stage === 'intended'))
        if (known ? other.measure.of === measure.of : other.kind === kind) return true;
    return false;
  }

  /** The most credits that the job may cost, by current knowledge. */
  #worst({ expectation, stage, credits }: JobCharge): number {
    if (expectation === undefined || stage === 'over') return credits;
    const estimate = this.#estimate(expectation);
    return Math.max(credits, estimate.known ? estimate.credits : 0);
  }

  /**
   * `open`: reserved credits that the ledger does not hold yet. Jobs that are not over count at their current estimate.
   */
  #moment(): { readonly open: number; readonly now: number } {
    const { version } = this.#o.journal.ledger.rates;
    return { open: this.#charges.open(version), now: this.#o.clock.now() };
  }

  /** Credits spent on one item, or set aside for it. */
  #spentOn(itemRun: ItemRun): number {
    let sum = this.#of(itemRun).committed;
    for (const one of this.#charges.ofItem(itemRun)) sum += this.#worst(one) - one.credits;
    return sum;
  }

  /** Credits set aside for a creation of this run without an answer yet. */
  reserveOf(key: string): number {
    const own = this.#charges.get(key);
    if (own?.expectation === undefined) return 0;
    return own.stage === 'charged' || own.stage === 'over' ? 0 : own.credits;
  }

  /** The charge that the service has reported for a job in flight. */
  chargedFor(key: string): number {
    return this.#charges.get(key)?.charged ?? 0;
  }

  /**
   * Reserves the credits that a starting job may charge, or counts the credits that an earlier run was charged for it.
   */
  reserve(itemRun: ItemRun, order: JobOrder): void {
    switch (order.operation) {
      case 'create':
        this.#unsettled.add(order.key);
        return this.#begin(order.key, itemRun, order.reserve, 'reserved', order.expectation);
      case 'attach':
        if (order.settled) return;
        this.#unsettled.add(order.key);
        return this.#begin(order.key, itemRun, order.credits, 'charged', undefined);
      case 'await':
        return this.#begin(order.key, itemRun, order.reserve, 'doubt', undefined);
      default:
        return;
    }
  }

  #begin(
    key: string,
    itemRun: ItemRun,
    credits: number,
    stage: JobCharge['stage'],
    expectation: Expectation | undefined,
  ): void {
    const before = stage === 'charged' ? credits : 0;
    const charge = { itemRun, expectation, before, stage, credits: 0, charged: before, open: 0 };
    this.#charges.add(key, charge);
    this.#set(charge, credits);
  }

  /** Counts credits of an earlier run for an item: charged, or perhaps charged. */
  carryOver(itemRun: ItemRun, credits: number): void {
    this.#of(itemRun).committed += credits;
  }

  /** Follows a reservation: the ledger holds it, it was charged, or it was released. */
  record(key: string, event: NewEvent): void {
    const own = this.#charges.get(key);
    if (own === undefined) return;
    switch (event.event) {
      case 'intent':
        own.stage = 'intended';
        return this.#charges.changed(own);
      case 'doubt':
        own.stage = 'doubt';
        return this.#charges.changed(own);
      case 'created':
        return this.#charge(own, 'charged', event.credits);
      case 'settled':
        return this.#charge(own, 'over', event.credits);
      default:
        return;
    }
  }

  #charge(own: JobCharge, stage: JobCharge['stage'], credits: number): void {
    const more = credits - own.charged;
    // A refund of an earlier run's charge does not lower the charges of this run.
    this.#of(own.itemRun).paid += own.before > 0 ? Math.max(0, more) : more;
    own.charged = credits;
    own.stage = stage;
    this.#set(own, credits);
  }

  #set(own: JobCharge, credits: number): void {
    this.#of(own.itemRun).committed += credits - own.credits;
    own.credits = credits;
    this.#charges.changed(own);
  }

  /**
   * Call when a job is over. Releases its unused reserve; a doubt stays set aside. Returns the credits that this run
   * was charged for the job.
   */
  release(key: string): number {
    const own = this.#charges.get(key);
    this.#unsettled.delete(key);
    if (own === undefined) return 0;
    if (own.stage === 'reserved') this.#set(own, 0);
    if (own.stage !== 'doubt') this.#charges.remove(key);
    return Math.max(0, own.charged - own.before);
  }

  /** Call when a failed item is over. Returns the credits spent on all such items. */
  writeOff(itemRun: ItemRun): number {
    this.#writtenOff += this.#of(itemRun).paid;
    return this.#writtenOff;
  }

  /** The elements of a fan-out spend the credits of their item. */
  #of({ root }: ItemRun): ItemCredits {
    const known = this.#items.get(root);
    if (known !== undefined) return known;
    const made = { committed: 0, paid: 0 };
    this.#items.set(root, made);
    return made;
  }
}
