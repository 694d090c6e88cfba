// The budget: may this creation be sent? Every credit that a run counts in memory is counted here. Credits are set aside
// before a job starts, so that two tasks cannot pass on the same credit; the ledger takes over with the intent. What is
// not over yet counts at today's estimate, so that one charge above its estimate, at the answer or at the end, is known
// to all that is still to come.
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { CreditTotals, Ledger } from '../journal/ledger.ts';
import type { Happened } from '../journal/line.ts';
import { type Estimate, type Expectation, estimated } from '../plan/estimate.ts';
import type { EndWithoutJob, Wait } from './action.ts';
import type { ItemRun } from './item-run.ts';
import type { JobOrder } from './jobs/job.ts';

export interface BudgetOptions {
  readonly journal: { readonly ledger: Ledger; readonly account: CreditTotals };
  /** Credits that this run, with those that share its id, may charge at most. */
  readonly total: number | undefined;
  /** Credits that one item may charge at most. */
  readonly perItem: number | undefined;
}

/** `instead`: what the task does without a grant. */
export type Grant =
  | { readonly granted: true; readonly reserve: number }
  | { readonly granted: false; readonly instead: Wait | EndWithoutJob };

/** Why nothing more is bought in this run. */
export interface Closed {
  readonly because: 'budget' | 'credits' | 'machine' | 'failures' | 'saving';
  readonly why: string;
}

/**
 * A job that is paid or about to be, and not over. `reserved`: nothing is sent. `intended`: its reserve is in the ledger.
 * `doubt`: so it is, and no answer may ever come. `charged`: the service has said a figure, and may still correct it.
 * `over`: no credit of it moves any more.
 */
interface Charge {
  readonly itemRun: ItemRun;
  /** Set for a creation of this run: what its estimate is made of. */
  readonly expectation: Expectation | undefined;
  /** Credits that an earlier run was charged for it. */
  readonly before: number;
  stage: 'reserved' | 'intended' | 'doubt' | 'charged' | 'over';
  /** Credits that its item has for it: the reserve, then the charge. */
  credits: number;
  /** Credits that the service has said it charged for it. */
  charged: number;
}

interface ItemCredits {
  /** Charged or set aside, by any run: what `budget.per_item` caps. */
  committed: number;
  /** Charged by this run, refunds taken off. */
  paid: number;
}

const wait = { granted: false, instead: { action: 'wait' } } as const;

const ended = (ending: 'failed' | 'pending', why: string): Grant => ({
  granted: false,
  instead: { action: 'end', ending, why },
});

export class Budget {
  readonly #o: BudgetOptions;
  readonly #charges = new Map<string, Charge>();
  readonly #items = new WeakMap<ItemRun, ItemCredits>();
  /** Jobs whose charge may still become less: those that are paid and not over, and those not answered. */
  readonly #unsettled = new Set<string>();
  #closed: Closed | undefined;
  #writtenOff = 0;

  constructor(options: BudgetOptions) {
    this.#o = options;
  }

  get closed(): Closed | undefined {
    return this.#closed;
  }

  /** Nothing more is bought; the first reason stays, unless it was only that something else is saved first. */
  close(closed: Closed): void {
    const saving = this.#closed?.because === 'saving';
    if (this.#closed === undefined || (saving && closed.because === 'machine'))
      this.#closed = closed;
  }

  ask(itemRun: ItemRun, expectation: Expectation): Grant {
    const { total, perItem } = this.#o;
    if (this.#closed !== undefined) return ended('pending', this.#closed.why);
    const estimate = this.#estimate(expectation);
    const capped = total !== undefined || perItem !== undefined;
    if (!estimate.known) {
      if (!capped) return { granted: true, reserve: 0 };
      return ended(
        'failed',
        `a budget needs the price of every task, and this one is not known: ${estimate.why}`,
      );
    }
    const reserve = estimate.credits;
    if (capped && this.#isUntried(expectation)) return wait;
    if (total !== undefined) {
      const spent = this.#spent();
      if (spent + reserve > total) {
        if (this.#unsettled.size > 0) return wait;
        const why = `the budget of ${total} credits is reached: ${spent} are spent or set aside, this would take ${reserve}`;
        this.close({ because: 'budget', why });
        return ended('pending', why);
      }
    }
    const spent = this.#spentOn(itemRun);
    if (perItem !== undefined && spent + reserve > perItem) {
      const why = `its item has a budget of ${perItem} credits: ${spent} are spent or set aside, this would take ${reserve}`;
      return ended('pending', why);
    }
    return { granted: true, reserve };
  }

  /**
   * Asked again right before a creation is recorded, and before it is sent: it may have waited for its turn while
   * others were charged more than was set aside, prices rose, or the budget was closed. Its own reserve grows with the
   * estimate. Answers the reserve, or why the creation must not be sent.
   */
  recheck(key: string): Result<number, string> {
    const own = this.#charges.get(key);
    if (own === undefined) throw new Error(`bug: nothing was reserved for ${key}`);
    if (this.#closed !== undefined && this.#closed.because !== 'budget')
      return err(this.#closed.why);
    const { total, perItem } = this.#o;
    const needed = this.#worst(own);
    if (total !== undefined && this.#spent() > total)
      return err(
        `the budget of ${total} credits is reached: others were charged more than expected while this waited`,
      );
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
   * Under a cap the first creation of a step kind goes alone, and so does the first with other settings: its charge is
   * the only sure price.
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

  /** Credits that it may come to, by what is known today. */
  #worst({ expectation, stage, credits }: Charge): number {
    if (expectation === undefined || stage === 'over') return credits;
    const estimate = this.#estimate(expectation);
    return Math.max(credits, estimate.known ? estimate.credits : 0);
  }

  /** Credits charged, set aside in the ledger, and reserved; what is not over at what it is now expected to be. */
  #spent(): number {
    const { charged, refunded, reserved } = this.#o.journal.account;
    let sum = charged - refunded + reserved;
    for (const one of this.#charges.values())
      sum += this.#worst(one) - (one.stage === 'reserved' ? 0 : one.credits);
    return sum;
  }

  /** The same for one item. */
  #spentOn(itemRun: ItemRun): number {
    let sum = this.#of(itemRun).committed;
    for (const one of this.#charges.values())
      if (one.itemRun === itemRun) sum += this.#worst(one) - one.credits;
    return sum;
  }

  /** Credits set aside for a creation of this run that is not answered yet. */
  reserveOf(key: string): number {
    const own = this.#charges.get(key);
    if (own?.expectation === undefined) return 0;
    return own.stage === 'charged' || own.stage === 'over' ? 0 : own.credits;
  }

  /** Credits that the service has said it charged for a job that is in flight. */
  chargedFor(key: string): number {
    return this.#charges.get(key)?.charged ?? 0;
  }

  /** Sets aside what a job that starts may charge, or counts what an earlier run was charged for it. */
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
    stage: Charge['stage'],
    expectation: Expectation | undefined,
  ): void {
    const before = stage === 'charged' ? credits : 0;
    const charge = { itemRun, expectation, before, stage, credits: 0, charged: before };
    this.#charges.set(key, charge);
    this.#set(charge, credits);
  }

  /** Credits of an earlier run that count for an item: charged, or perhaps charged. */
  carryOver(itemRun: ItemRun, credits: number): void {
    this.#of(itemRun).committed += credits;
  }

  /** Follows what became of a reservation: the ledger holds it, or it was charged, or it was not. */
  record(key: string, event: Happened): void {
    const own = this.#charges.get(key);
    if (own === undefined) return;
    switch (event.event) {
      case 'intent':
        own.stage = 'intended';
        return;
      case 'doubt':
        own.stage = 'doubt';
        return;
      case 'created':
        return this.#charge(own, 'charged', event.credits);
      case 'settled':
        return this.#charge(own, 'over', event.credits);
      default:
        return;
    }
  }

  #charge(own: Charge, stage: Charge['stage'], credits: number): void {
    const more = credits - own.charged;
    // What an earlier run paid and is given back now was not charged in this one.
    this.#of(own.itemRun).paid += own.before > 0 ? Math.max(0, more) : more;
    this.#set(own, credits);
    own.charged = credits;
    own.stage = stage;
  }

  #set(own: Charge, credits: number): void {
    this.#of(own.itemRun).committed += credits - own.credits;
    own.credits = credits;
  }

  /**
   * A job is over: what was reserved for it and never used is free again. What is in doubt stays set aside. Answers the
   * credits that this run was charged for it.
   */
  release(key: string): number {
    const own = this.#charges.get(key);
    this.#unsettled.delete(key);
    if (own === undefined) return 0;
    if (own.stage === 'reserved') this.#set(own, 0);
    if (own.stage !== 'doubt') this.#charges.delete(key);
    return Math.max(0, own.charged - own.before);
  }

  /** An item that failed is over. Answers the credits that went to all such items. */
  writeOff(itemRun: ItemRun): number {
    this.#writtenOff += this.#of(itemRun).paid;
    return this.#writtenOff;
  }

  #of(itemRun: ItemRun): ItemCredits {
    const known = this.#items.get(itemRun);
    if (known !== undefined) return known;
    const made = { committed: 0, paid: 0 };
    this.#items.set(itemRun, made);
    return made;
  }
}
