// The purse: may this creation be sent? Credits are set aside here before a job starts, so that two tasks cannot pass
// on the same credit; the ledger takes over with the intent. What is not answered yet counts at today's estimate, so
// that one charge above its estimate is known to all that is still to come.
import type { Account, Ledger } from '../journal/ledger.ts';
import type { Happened } from '../journal/line.ts';
import { type Estimate, type Expectation, estimated } from '../plan/estimate.ts';
import type { Flight } from './flights.ts';
import type { CreateOrder } from './job.ts';
import type { Work } from './work.ts';

export interface PurseOptions {
  readonly journal: { readonly ledger: Ledger; readonly account: Account };
  /** Credits that this run, with those that share its id, may charge at most. */
  readonly budget: number | undefined;
  /** Credits that one item may charge at most. */
  readonly perItem: number | undefined;
}

export type Leave =
  | { readonly may: true; readonly reserve: number }
  /** `fail`: it can never be sent so. `later`: not in this run. `wait`: asked again when something has happened. */
  | { readonly may: false; readonly why: string; readonly how: 'fail' | 'later' | 'wait' };

/** Why nothing more is bought in this run. */
export interface Closed {
  readonly because: 'budget' | 'credits' | 'machine' | 'failures' | 'saving';
  readonly why: string;
}

/** A creation that was allowed and is not answered yet. */
interface Outstanding {
  readonly work: Work;
  readonly expectation: Expectation;
  reserve: number;
  /** Its intent is in the ledger, and its reserve with it. */
  written: boolean;
}

const go = (reserve: number): Leave => ({ may: true, reserve });

export class Purse {
  readonly #o: PurseOptions;
  readonly #outstanding = new Map<string, Outstanding>();
  /** Jobs whose charge may still become less: those that are paid and not over, and those not answered. */
  readonly #unsettled = new Set<string>();
  #closed: Closed | undefined;

  constructor(options: PurseOptions) {
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

  ask(work: Work, expectation: Expectation): Leave {
    const { budget, perItem } = this.#o;
    if (this.#closed !== undefined) return { may: false, how: 'later', why: this.#closed.why };
    const estimate = this.#estimate(expectation);
    const capped = budget !== undefined || perItem !== undefined;
    if (!estimate.known) {
      if (!capped) return go(0);
      const why = `its price is not known, which a budget needs: ${estimate.why}`;
      return { may: false, how: 'fail', why };
    }
    const reserve = estimate.credits;
    if (capped && this.#isUntried(expectation.kind))
      return { may: false, how: 'wait', why: 'the first of its kind shows what it costs' };
    const spent = this.#spent();
    if (budget !== undefined && spent + reserve > budget) {
      const why = `the budget of ${budget} credits is reached: ${spent} are spent or set aside, this would take ${reserve}`;
      if (this.#unsettled.size > 0) return { may: false, how: 'wait', why };
      this.close({ because: 'budget', why });
      return { may: false, how: 'later', why };
    }
    if (perItem !== undefined && work.credits + reserve > perItem) {
      const why = `its item has a budget of ${perItem} credits: ${work.credits} are spent or set aside, this would take ${reserve}`;
      return { may: false, how: 'later', why };
    }
    return go(reserve);
  }

  /**
   * Asked again right before a creation is recorded, and before it is sent: it may have waited for its turn while
   * prices rose or the purse was closed. Its own reserve grows with the estimate.
   */
  recheck(key: string): Leave {
    const own = this.#outstanding.get(key);
    if (own === undefined) throw new Error(`bug: ${key} was never promised anything`);
    if (this.#closed !== undefined && this.#closed.because !== 'budget')
      return { may: false, how: 'later', why: this.#closed.why };
    const needed = this.#worst(own);
    const { budget } = this.#o;
    if (needed > own.reserve && budget !== undefined && this.#spent() > budget) {
      const why = `the budget of ${budget} credits is reached: prices rose to ${needed} while it waited`;
      return { may: false, how: 'later', why };
    }
    if (!own.written) {
      own.work.credits += needed - own.reserve;
      own.reserve = needed;
    }
    return go(own.reserve);
  }

  #estimate(expectation: Expectation): Estimate {
    return estimated(expectation, this.#o.journal.ledger);
  }

  /** Under a cap the first creation of a kind goes alone: its charge is the only sure price. */
  #isUntried(kind: string): boolean {
    if (this.#o.journal.ledger.rates.knows(kind)) return false;
    for (const { expectation } of this.#outstanding.values())
      if (expectation.kind === kind) return true;
    return false;
  }

  #worst({ expectation, reserve }: Outstanding): number {
    const estimate = this.#estimate(expectation);
    return Math.max(reserve, estimate.known ? estimate.credits : 0);
  }

  /** Credits charged, set aside in the ledger, and promised; what is not answered at what it is now expected to be. */
  #spent(): number {
    const { charged, refunded, reserved } = this.#o.journal.account;
    let sum = charged - refunded + reserved;
    for (const one of this.#outstanding.values())
      sum += this.#worst(one) - (one.written ? one.reserve : 0);
    return sum;
  }

  /** Credits set aside for a creation that is not answered yet. */
  reserveOf(key: string): number {
    return this.#outstanding.get(key)?.reserve ?? 0;
  }

  promise(work: Work, { key, reserve, expectation }: CreateOrder): void {
    this.#outstanding.set(key, { work, expectation, reserve, written: false });
    this.#unsettled.add(key);
    work.credits += reserve;
  }

  /** A job that was paid by an earlier run and is not over. */
  remember(work: Work, key: string, credits: number): void {
    this.#unsettled.add(key);
    work.credits += credits;
  }

  /** Follows what became of a promise: the ledger holds it, or it was charged, or it was not. */
  hear(flight: Flight, event: Happened): void {
    const { order, work } = flight;
    const reserve = this.#outstanding.get(order.key)?.reserve ?? 0;
    switch (event.event) {
      case 'intent': {
        const own = this.#outstanding.get(order.key);
        if (own !== undefined) own.written = true;
        return;
      }
      case 'created':
        work.pay(event.credits, event.credits - reserve);
        flight.charged = event.credits;
        break;
      case 'settled':
        work.pay(event.credits - flight.charged, event.credits - flight.charged);
        flight.charged = event.credits;
        return;
      case 'refused':
        work.credits -= reserve;
        break;
      case 'doubt':
        break;
      default:
        return;
    }
    this.#outstanding.delete(order.key);
  }

  /** A job is over: what it was promised and never used is free again. */
  settle({ order, work }: Flight): void {
    const own = this.#outstanding.get(order.key);
    if (own !== undefined && !own.written) work.credits -= own.reserve;
    this.#outstanding.delete(order.key);
    this.#unsettled.delete(order.key);
  }
}
