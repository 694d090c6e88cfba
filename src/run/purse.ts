// The purse: may this creation be sent? Credits are set aside here before a job starts, so that two tasks
// cannot pass on the same credit; the ledger takes over with the intent.

import { committed, type Ledger } from '../journal/ledger.ts';
import type { Happened } from '../journal/line.ts';
import type { Estimate } from '../plan/estimate.ts';
import type { Flight } from './flights.ts';
import type { CreateOrder } from './job.ts';
import type { Work } from './work.ts';

export interface PurseOptions {
  readonly ledger: Ledger;
  /** Credits that this run may charge at most. */
  readonly budget: number | undefined;
  /** Credits that one item may charge at most. */
  readonly perItem: number | undefined;
}

export type Leave =
  | { readonly may: true; readonly reserve: number }
  /** `fail`: it can never be sent so. `later`: not in this run. */
  | { readonly may: false; readonly why: string; readonly how: 'fail' | 'later' };

export class Purse {
  readonly #o: PurseOptions;
  /** Set aside for jobs whose intent is not in the ledger yet. */
  readonly #promised = new Map<string, number>();
  /** Why nothing more is bought in this run. */
  empty: string | undefined;

  constructor(options: PurseOptions) {
    this.#o = options;
  }

  ask(work: Work, estimate: Estimate): Leave {
    const { ledger, budget, perItem } = this.#o;
    if (this.empty !== undefined) return { may: false, how: 'later', why: this.empty };
    if (!estimate.known) {
      if (budget === undefined && perItem === undefined) return { may: true, reserve: 0 };
      const why = `its price is not known, which a budget needs: ${estimate.why}`;
      return { may: false, how: 'fail', why };
    }
    const reserve = estimate.credits;
    const spent = committed(ledger.account) + this.#sum();
    if (budget !== undefined && spent + reserve > budget) {
      this.empty = `the budget of ${budget} credits is reached: ${spent} are spent or set aside, this would take ${reserve}`;
      return { may: false, how: 'later', why: this.empty };
    }
    if (perItem !== undefined && work.credits + reserve > perItem) {
      const why = `its item has a budget of ${perItem} credits: ${work.credits} are spent or set aside, this would take ${reserve}`;
      return { may: false, how: 'later', why };
    }
    return { may: true, reserve };
  }

  #sum(): number {
    let sum = 0;
    for (const credits of this.#promised.values()) sum += credits;
    return sum;
  }

  promise(work: Work, { key, reserve }: CreateOrder): void {
    this.#promised.set(key, reserve);
    work.credits += reserve;
  }

  /** Follows what became of a promise: the ledger holds it, or it was charged, or it was not. */
  hear(flight: Flight, event: Happened): void {
    const { order, work } = flight;
    const reserve = order.deed === 'create' ? order.reserve : 0;
    switch (event.event) {
      case 'intent':
        this.#promised.delete(order.key);
        return;
      case 'created':
        work.credits += event.credits - reserve;
        flight.charged = event.credits;
        return;
      case 'settled':
        work.credits += event.credits - flight.charged;
        flight.charged = event.credits;
        return;
      case 'refused':
        work.credits -= reserve;
    }
  }

  /** A job is over: what it was promised and never used is free again. */
  settle({ order }: Flight): void {
    this.#promised.delete(order.key);
  }
}
