// The caps on what a run may spend in all: the run's own budget, and those of the day and of the month. The cap that
// leaves the least decides.

import { CalendarBudget, type CalendarCaps, nextBeginsAt } from '../core/calendar-budget.ts';
import { committed, type Ledger } from '../model/ledger.ts';

export interface SpendingLimitsOptions {
  readonly ledger: Ledger;
  /** The most credits that this run may charge, together with the interrupted one that it continues. */
  readonly total: number | undefined;
  /** The most that this run may charge before the account is empty. */
  readonly balance?: number | undefined;
  /** budget.per_day and budget.per_month. */
  readonly calendar: CalendarCaps;
}

/** A day may end while a run lasts, so each question has its own moment. */
interface Moment {
  readonly open: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Limit {
  readonly of: LimitOf;
  readonly most: number;
  readonly spent: number;
  /** The subject and the verb of a sentence. */
  readonly reached: string;
  /** The end of the sentence. */
  readonly next: string;
  /** Epoch milliseconds: when the next period begins. */
  readonly until?: number;
}

/** `balance`: of the account. */
export type LimitOf = 'run' | 'day' | 'month' | 'balance';

/** A cap that leaves too little, and how much of it is spent or set aside. */
export interface PassedLimit {
  readonly limit: { readonly of: LimitOf; readonly most: number; readonly spent: number };
  readonly because: 'budget' | 'credits';
  readonly why: string;
  /** More than the cap ever leaves. */
  readonly isTooDear: boolean;
  readonly until?: number | undefined;
}

export class SpendingLimits {
  readonly #o: SpendingLimitsOptions;
  readonly #calendar: CalendarBudget;

  constructor(options: SpendingLimitsOptions) {
    this.#o = options;
    this.#calendar = new CalendarBudget(options.calendar);
  }

  get isEmpty(): boolean {
    const { total, balance } = this.#o;
    return total === undefined && balance === undefined && this.#calendar.isEmpty;
  }

  /**
   * `more`: credits of a creation that is asked for. `open`: credits of this run that the ledger does not hold yet.
   */
  passedBy(more: number, moment: Moment, what: 'task' | 'item' = 'task'): PassedLimit | undefined {
    const smallest = this.#smallest(moment);
    if (smallest === undefined || smallest.spent + more <= smallest.most) return undefined;
    const { of, most, spent, reached, next, until } = smallest;
    const isTooDear = more > most;
    const limit = { of, most, spent };
    const facts = { limit, isTooDear, because: of === 'balance' ? 'credits' : 'budget' } as const;
    const wanted = `${what === 'item' ? 'the next item' : 'this'} would take ${more}`;
    const why = `${reached}: ${spent} are spent or set aside, ${wanted}`;
    // The next period would not help.
    const all = of === 'balance' ? 'the account has' : 'a whole budget';
    if (isTooDear) return { ...facts, why: `${why}, which is more than ${all}` };
    if (until === undefined) return { ...facts, why };
    return { ...facts, why: `${why}; ${next}`, until };
  }

  /** The same for creations that are counted in `open` already. */
  passed(moment: Moment): PassedLimit | undefined {
    const smallest = this.#smallest(moment);
    if (smallest === undefined || smallest.spent <= smallest.most) return undefined;
    const { of, most, spent, reached, until } = smallest;
    const why = `${reached}: others were charged more than expected while this waited`;
    const because = of === 'balance' ? 'credits' : 'budget';
    return { limit: { of, most, spent }, isTooDear: false, because, why, until };
  }

  /** What the cap with the least room leaves, and the most that it ever leaves; undefined without a cap. */
  room(moment: Moment): { readonly left: number; readonly most: number } | undefined {
    const smallest = this.#smallest(moment);
    if (smallest === undefined) return undefined;
    return { left: smallest.most - smallest.spent, most: smallest.most };
  }

  #smallest(moment: Moment): Limit | undefined {
    const limits = this.#at(moment);
    return limits.reduce<Limit | undefined>(
      (least, limit) =>
        least === undefined || limit.most - limit.spent < least.most - least.spent ? limit : least,
      undefined,
    );
  }

  #at({ open, now }: Moment): readonly Limit[] {
    const { total, balance, ledger } = this.#o;
    const spent = committed(ledger.account) + open;
    const ofRun: Limit[] = [];
    if (total !== undefined)
      ofRun.push({
        of: 'run',
        most: total,
        spent,
        next: '',
        reached: `the budget of ${total} credits is reached`,
      });
    if (balance !== undefined)
      ofRun.push({
        of: 'balance',
        most: balance,
        spent,
        next: '',
        reached: 'the account does not have enough credits',
      });
    const ofCalendar = this.#calendar.at(now, ledger);
    return [
      ...ofRun,
      ...ofCalendar.map((limit): Limit => {
        const { period, most, spent } = limit;
        return {
          of: period.per,
          most,
          spent: spent + open,
          until: period.until,
          reached: `budget.per_${period.per} is reached, ${most} credits for ${period.name}`,
          next: `the next ${period.per} begins at ${nextBeginsAt(limit)}`,
        };
      }),
    ];
  }
}
