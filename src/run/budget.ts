// The budget: decides whether a creation may be sent, and counts every credit that a run counts in memory. Credits are
// reserved before a job starts, so that two tasks cannot spend the same credit; from the intent on, the ledger holds
// the reserve. A job that is not over counts at its current estimate, so a charge above its estimate immediately raises
// the estimates of similar jobs.
import { err, ok, type Result } from '../base/result.ts';
import type { Held } from '../core/ending.ts';
import type { Clock } from '../core/ports.ts';
import type { Ledger } from '../model/ledger.ts';
import type { NewEvent } from '../model/line.ts';
import { type Estimate, type Expectation, estimated } from '../plan/estimate.ts';
import type { ItemNeeds } from '../plan/needs.ts';
import {
  type PassedLimit,
  SpendingLimits,
  type SpendingLimitsOptions,
} from '../plan/spending-limits.ts';
import type { EndWithoutJob, Wait } from './action.ts';
import { Admission } from './admission.ts';
import type { ItemRun } from './item-run.ts';
import type { JobOrder } from './jobs/job.ts';

export interface BudgetOptions extends SpendingLimitsOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** The most credits that one item may charge. */
  readonly perItem: number | undefined;
  /** What each item needs, by the plan; without it, credits are given task by task. */
  readonly needs?: ItemNeeds | undefined;
  /** Items that earlier runs have begun. */
  readonly begun?: ReadonlySet<string> | undefined;
  /** Called when the run must buy nothing more. */
  readonly onClosed?: (closed: Closed) => void;
}

/** `instead`: what the task does without a grant. */
export type Grant =
  | { readonly granted: true; readonly reserve: number }
  | { readonly granted: false; readonly instead: Wait | EndWithoutJob };

/** Why this run buys nothing more. */
export interface Closed {
  readonly because:
    | 'budget'
    | 'credits'
    | 'machine'
    | 'failures'
    | 'saving'
    | 'left'
    /** Creations got no answers, so more of them would be in doubt. */
    | 'unanswered';
  readonly why: string;
  /** For `budget`: the cap that is reached. */
  readonly limit?: PassedLimit['limit'];
  /** Epoch milliseconds: when a day or a month with a new budget begins. */
  readonly until?: number | undefined;
}

interface ItemCredits {
  /** Credits charged or set aside by any run; `budget.per_item` limits them. */
  committed: number;
  /** Credits charged by this run, minus refunds. */
  paid: number;
}

const wait = { granted: false, instead: { action: 'wait' } } as const;

const ended = (
  ending: 'failed' | 'pending' | 'later',
  why: string,
  held?: Held,
): { readonly granted: false; readonly instead: EndWithoutJob } => ({
  granted: false,
  instead: { action: 'end', ending, why, held },
});

/** "" for the shared steps. */
const keyOf = ({ item }: ItemRun): string => item?.key ?? '';

const tooDearForItem = (most: number, spent: number, wanted: number): EndWithoutJob => ({
  action: 'end',
  ending: 'pending',
  held: { by: 'item', most, spent, wanted },
  why: `its item has a budget of ${most} credits: ${spent} are spent or set aside, this would take ${wanted}`,
});

export class Budget {
  readonly #o: BudgetOptions;
  readonly #limits: SpendingLimits;
  readonly #charges: JobCharges;
  readonly #items = new WeakMap<ItemRun, ItemCredits>();
  /** Jobs whose charge may still become lower: paid jobs that are not over, and creations without an answer. */
  readonly #unsettled = new Set<string>();
  #closed: Closed | undefined;
  /** Why no further item begins, although those that have begun may still buy. */
  #full: Closed | undefined;
  /** Undefined without a cap. */
  readonly #admission: Admission | undefined;
  /** A cap that held some items back, although others may begin. */
  #heldBack: Closed | undefined;
  /** The items that must not begin, by key. */
  readonly #refused = new Map<string, EndWithoutJob>();
  #writtenOff = 0;

  constructor(options: BudgetOptions) {
    this.#o = options;
    this.#limits = new SpendingLimits(options);
    this.#charges = new JobCharges((one) => this.#worst(one));
    if (options.needs !== undefined && this.#isCapped)
      this.#admission = new Admission(options.needs, (expectation) => {
        const estimate = this.#estimate(expectation);
        return estimate.known ? estimate.credits : 0;
      });
  }

  get #isCapped(): boolean {
    return !this.#limits.isEmpty || this.#o.perItem !== undefined;
  }

  /** Why this run buys nothing more. */
  get closed(): Closed | undefined {
    return this.#closed;
  }

  /** Why this run begins no further item. */
  get shut(): Closed | undefined {
    return this.#closed ?? this.#full;
  }

  /** Why this run did not buy everything, once it is over. */
  get end(): Closed | undefined {
    return this.shut ?? this.#heldBack;
  }

  /**
   * Under a cap, an item begins only if all that it still needs fits, and that is set aside at once. `wait`: others may give
   * something back. A refused item buys nothing, and `shut` may tell that none begins after it.
   */
  admit(key: string): 'admitted' | 'wait' | 'refused' {
    const admission = this.#admission;
    if (admission === undefined || this.shut !== undefined) return 'admitted';
    const need = admission.needOf(key);
    if (need === 0) return 'admitted';
    const { perItem, begun } = this.#o;
    const spent = admission.spentBefore(key);
    const cost = admission.costOf(key);
    if (perItem !== undefined && spent + cost > perItem)
      return this.#refuse(key, tooDearForItem(perItem, spent, cost));
    const held = admission.total(this.#rates.version);
    const passed = this.#limits.passedBy(need, this.#moment(held), 'item');
    if (passed === undefined) {
      admission.admit(key);
      return 'admitted';
    }
    const refusal = ended('pending', passed.why, { by: 'run' }).instead;
    if (passed.isTooDear && key !== '') {
      this.#heldBack ??= passed;
      return this.#refuse(key, refusal);
    }
    if (this.#unsettled.size > 0 || held > 0) return 'wait';
    // What earlier runs have paid for is still fetched.
    if (begun?.has(key) === true) this.#heldBack ??= passed;
    else this.#full = passed;
    return this.#refuse(key, refusal);
  }

  #refuse(key: string, instead: EndWithoutJob): 'refused' {
    this.#refused.set(key, instead);
    return 'refused';
  }

  /** What the tasks of an item do that must not begin; undefined if it may. */
  refusal({ root }: ItemRun): EndWithoutJob | undefined {
    return this.#refused.get(keyOf(root));
  }

  /** A fan-out of the item has these elements; the task stood for all of them. */
  opened({ root }: ItemRun, task: string, elements: readonly string[]): void {
    this.#admission?.opened(keyOf(root), task, elements);
  }

  /** Call when a task has ended. */
  ended({ root }: ItemRun, task: string, isDone: boolean): void {
    this.#admission?.ended(keyOf(root), task, isDone);
  }

  /** Call when an item is over. */
  over({ root }: ItemRun): void {
    this.#admission?.leave(keyOf(root));
  }

  /** Stops all buying. The first reason stays, unless it was only to save other results first. */
  close(closed: Closed): void {
    const saving = this.#closed?.because === 'saving';
    if (this.#closed !== undefined && !(saving && closed.because === 'machine')) return;
    this.#closed = closed;
    this.#o.onClosed?.(closed);
  }

  /** `others`: what other takes of the request have cost its item. */
  ask(itemRun: ItemRun, task: string, expectation: Expectation, others = 0): Grant {
    const { perItem } = this.#o;
    if (this.#closed?.because === 'left') return ended('later', this.#closed.why);
    if (this.#closed !== undefined) return ended('pending', this.#closed.why, { by: 'run' });
    const refusal = this.refusal(itemRun);
    if (refusal !== undefined) return { granted: false, instead: refusal };
    const estimate = this.#estimate(expectation);
    if (!estimate.known) {
      if (!this.#isCapped) return { granted: true, reserve: 0 };
      return ended(
        'failed',
        `a budget needs the price of every task, and this one is not known: ${estimate.why}`,
      );
    }
    const reserve = estimate.credits;
    if (this.#isCapped && this.#isUntried(expectation)) return wait;
    const key = keyOf(itemRun.root);
    const total = this.#admission?.total(this.#rates.version) ?? 0;
    const rest = total === 0 ? 0 : (this.#admission?.restOf(key, task) ?? 0);
    const earlier = total === 0 ? 0 : (this.#admission?.before(key) ?? 0);
    const passed = this.#limits.isEmpty
      ? undefined
      : this.#limits.passedBy(reserve + rest, this.#moment(earlier));
    if (passed !== undefined) {
      if (this.#unsettled.size > 0 || earlier > 0) return wait;
      this.#full ??= passed;
      return ended('pending', passed.why, { by: 'run' });
    }
    const spent = perItem === undefined ? 0 : this.#spentOn(itemRun) + others;
    if (perItem !== undefined && spent + reserve + rest > perItem)
      return { granted: false, instead: tooDearForItem(perItem, spent, reserve + rest) };
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
    return estimated(expectation, this.#o.ledger);
  }

  /**
   * Under a cap, the first creation of a step kind goes alone, and so does the first with other settings: only its
   * charge is a reliable price.
   */
  #isUntried({ kind, measure }: Expectation): boolean {
    const { rates } = this.#o.ledger;
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
   * `held`: credits that are set aside for items.
   */
  #moment(held = 0): { readonly open: number; readonly now: number } {
    return { open: this.#charges.open(this.#rates.version) + held, now: this.#o.clock.now() };
  }

  get #rates(): Ledger['rates'] {
    return this.#o.ledger.rates;
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
        this.#admission?.ordered(keyOf(itemRun.root), order.task);
        return this.#begin(order, itemRun, order.reserve, 'reserved', order.expectation);
      case 'attach':
        // Another state file has the charge of an adopted project, and gets its refund.
        if (order.settled || order.adopted === true) return;
        this.#unsettled.add(order.key);
        return this.#begin(order, itemRun, order.credits, 'charged', undefined);
      case 'await':
        return this.#begin(order, itemRun, order.reserve, 'doubt', undefined);
      default:
        return;
    }
  }

  #begin(
    { key, task }: JobOrder,
    itemRun: ItemRun,
    credits: number,
    stage: JobCharge['stage'],
    expectation: Expectation | undefined,
  ): void {
    const before = stage === 'charged' ? credits : 0;
    const about = { itemRun, task, expectation, before };
    const charge = { ...about, stage, credits: 0, charged: before, open: 0 };
    this.#charges.add(key, charge);
    this.#set(charge, credits);
  }

  /** Counts credits of an earlier run for an item: charged, or perhaps charged. */
  carryOver(itemRun: ItemRun, credits: number): void {
    this.#of(itemRun).committed += credits;
  }

  /**
   * Follows a reservation: the ledger holds it, it was charged, or it was released. Returns the credits that this run was
   * charged thereby; below 0 if they were given back.
   */
  record(key: string, event: NewEvent): number {
    const own = this.#charges.get(key);
    if (own === undefined) return 0;
    switch (event.event) {
      case 'intent':
        own.stage = 'intended';
        this.#charges.changed(own);
        return 0;
      case 'doubt':
        own.stage = 'doubt';
        this.#charges.changed(own);
        return 0;
      case 'created':
        return this.#charge(own, 'charged', event.credits);
      case 'settled':
        return this.#charge(own, 'over', event.credits);
      default:
        return 0;
    }
  }

  #charge(own: JobCharge, stage: JobCharge['stage'], credits: number): number {
    const more = credits - own.charged;
    // A refund of an earlier run's charge does not lower the charges of this run.
    const paid = own.before > 0 ? Math.max(0, more) : more;
    this.#of(own.itemRun).paid += paid;
    own.charged = credits;
    own.stage = stage;
    this.#set(own, credits);
    return paid;
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
    if (own.credits === 0) this.#admission?.notCharged(keyOf(own.itemRun.root), own.task);
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

// The charges of the jobs in flight, for the budget: by key, by item, and the sum of what the ledger does not hold yet.
// Thousands of jobs may be in flight, so the sum is kept, and made again only when estimates change.

/**
 * A job that is paid or about to be paid, and not over. `reserved`: nothing is sent yet. `intended`: the ledger holds
 * its reserve. `doubt`: the same, but an answer may never come. `charged`: the service has reported a charge, and may
 * still correct it. `over`: its credits no longer change.
 */
interface JobCharge {
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

class JobCharges {
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
