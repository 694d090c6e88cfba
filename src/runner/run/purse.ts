// The purse: may this creation be sent? Credits are set aside here before a job starts, so that two tasks cannot pass
// on the same credit; the ledger takes over with the intent. What is not over yet counts at today's estimate, so that
// one charge above its estimate, at the answer or at the end, is known to all that is still to come.
import type { CreditTotals, Ledger } from '../journal/ledger.ts';
import type { Happened } from '../journal/line.ts';
import { isNotTaken } from '../journal/settled.ts';
import { type Estimate, type Expectation, estimated } from '../plan/estimate.ts';
import type { Flight } from './flights.ts';
import type { CreateOrder } from './jobs/job.ts';
import type { Work } from './work.ts';

export interface PurseOptions {
  readonly journal: { readonly ledger: Ledger; readonly account: CreditTotals };
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

/**
 * A creation that was allowed and is not over. `promised`: nothing is sent. `intended`: its reserve is in the ledger.
 * `doubt`: so it is, and no answer may ever come. `charged`: the service has said a figure, and may still correct it.
 */
interface Open {
  readonly work: Work;
  readonly expectation: Expectation;
  stage: 'promised' | 'intended' | 'doubt' | 'charged';
  /** Credits that its item has for it: the reserve, then the charge. */
  held: number;
}

const go = (reserve: number): Leave => ({ may: true, reserve });

export class Purse {
  readonly #o: PurseOptions;
  readonly #open = new Map<string, Open>();
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
    if (capped && this.#isUntried(expectation))
      return { may: false, how: 'wait', why: 'the first of its kind shows what it costs' };
    if (budget !== undefined) {
      const spent = this.#spent();
      if (spent + reserve > budget) {
        const why = `the budget of ${budget} credits is reached: ${spent} are spent or set aside, this would take ${reserve}`;
        if (this.#unsettled.size > 0) return { may: false, how: 'wait', why };
        this.close({ because: 'budget', why });
        return { may: false, how: 'later', why };
      }
    }
    if (perItem !== undefined && this.#spentOn(work) + reserve > perItem) {
      const why = `its item has a budget of ${perItem} credits: ${this.#spentOn(work)} are spent or set aside, this would take ${reserve}`;
      return { may: false, how: 'later', why };
    }
    return go(reserve);
  }

  /**
   * Asked again right before a creation is recorded, and before it is sent: it may have waited for its turn while
   * others were charged more than was set aside, prices rose, or the purse was closed. Its own reserve grows with the
   * estimate.
   */
  recheck(key: string): Leave {
    const own = this.#open.get(key);
    if (own === undefined) throw new Error(`bug: ${key} was never promised anything`);
    if (this.#closed !== undefined && this.#closed.because !== 'budget')
      return { may: false, how: 'later', why: this.#closed.why };
    const { budget, perItem } = this.#o;
    const needed = this.#worst(own);
    if (budget !== undefined && this.#spent() > budget) {
      const why = `the budget of ${budget} credits is reached: others were charged more than expected while this waited`;
      return { may: false, how: 'later', why };
    }
    if (perItem !== undefined && this.#spentOn(own.work) > perItem) {
      const why = `its item has a budget of ${perItem} credits: prices rose to ${needed} while it waited`;
      return { may: false, how: 'later', why };
    }
    if (own.stage === 'promised') {
      own.work.credits += needed - own.held;
      own.held = needed;
    }
    return go(own.held);
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
    for (const { stage, expectation: other } of this.#open.values())
      if (stage === 'promised' || stage === 'intended')
        if (known ? other.measure.of === measure.of : other.kind === kind) return true;
    return false;
  }

  /** Credits that it may come to, by what is known today. */
  #worst({ expectation, held }: Open): number {
    const estimate = this.#estimate(expectation);
    return Math.max(held, estimate.known ? estimate.credits : 0);
  }

  /** Credits charged, set aside in the ledger, and promised; what is not over at what it is now expected to be. */
  #spent(): number {
    const { charged, refunded, reserved } = this.#o.journal.account;
    let sum = charged - refunded + reserved;
    for (const one of this.#open.values())
      sum += this.#worst(one) - (one.stage === 'promised' ? 0 : one.held);
    return sum;
  }

  /** The same for one item. */
  #spentOn(work: Work): number {
    let sum = work.credits;
    for (const one of this.#open.values())
      if (one.work === work) sum += this.#worst(one) - one.held;
    return sum;
  }

  /** Credits set aside for a creation that is not answered yet. */
  reserveOf(key: string): number {
    const own = this.#open.get(key);
    return own === undefined || own.stage === 'charged' ? 0 : own.held;
  }

  promise(work: Work, { key, reserve, expectation }: CreateOrder): void {
    this.#open.set(key, { work, expectation, held: reserve, stage: 'promised' });
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
    const own = this.#open.get(order.key);
    switch (event.event) {
      case 'intent':
        if (own !== undefined) own.stage = 'intended';
        return;
      case 'doubt':
        if (own !== undefined) own.stage = 'doubt';
        return;
      case 'created':
        work.pay(event.credits, event.credits - (own?.held ?? 0));
        flight.charged = event.credits;
        if (own !== undefined) [own.stage, own.held] = ['charged', event.credits];
        return;
      case 'settled': {
        if (isNotTaken(event)) {
          work.credits -= own?.held ?? 0;
          this.#open.delete(order.key);
          return;
        }
        const more = event.credits - flight.charged;
        // What an earlier run paid and is given back now was not charged in this one.
        work.pay(flight.before > 0 ? Math.max(0, more) : more, more);
        flight.charged = event.credits;
        this.#open.delete(order.key);
        return;
      }
      default:
        return;
    }
  }

  /** A job is over: what it was promised and never used is free again. What is in doubt stays set aside. */
  settle({ order, work }: Flight): void {
    const own = this.#open.get(order.key);
    if (own?.stage === 'promised') work.credits -= own.held;
    if (own?.stage !== 'doubt') this.#open.delete(order.key);
    this.#unsettled.delete(order.key);
  }
}
