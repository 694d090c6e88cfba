// The caps on what a run may spend in all: the run's own budget, and those of the day and of the month. The cap that
// leaves the least decides.
import { type CreditTotals, committed, type Ledger } from '../journal/ledger.ts';
import { CalendarBudget, type CalendarCaps, nextBeginsAt } from './calendar-budget.ts';

export interface SpendingLimitsOptions {
  readonly journal: { readonly ledger: Ledger; readonly account: CreditTotals };
  /** The most credits that this run may charge, together with the runs that share its id. */
  readonly total: number | undefined;
  /** budget.per_day and budget.per_month. */
  readonly calendar?: CalendarCaps;
}

/** A day may end while a run lasts, so each question has its own moment. */
interface Moment {
  readonly open: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface Limit {
  readonly most: number;
  readonly spent: number;
  /** The subject and the verb of a sentence. */
  readonly reached: string;
  /** The end of the sentence. */
  readonly next: string;
  /** Epoch milliseconds: when the next period begins. */
  readonly until?: number;
}

/** A cap that leaves too little. */
export interface PassedLimit {
  readonly why: string;
  readonly until?: number;
}

export class SpendingLimits {
  readonly #o: SpendingLimitsOptions;
  readonly #calendar: CalendarBudget | undefined;

  constructor(options: SpendingLimitsOptions) {
    this.#o = options;
    const { calendar } = options;
    if (calendar !== undefined) this.#calendar = new CalendarBudget(calendar);
  }

  get isEmpty(): boolean {
    return this.#o.total === undefined && (this.#calendar?.isEmpty ?? true);
  }

  /**
   * `more`: credits of a creation that is asked for. `open`: credits of this run that the ledger does not hold yet.
   */
  passedBy(more: number, { open, now }: Moment): PassedLimit | undefined {
    const limit = this.#smallest({ open, now });
    if (limit === undefined || limit.spent + more <= limit.most) return undefined;
    const { most, spent, reached, next, until } = limit;
    const why = `${reached}: ${spent} are spent or set aside, this would take ${more}`;
    if (until === undefined) return { why };
    // The next period would not help.
    if (more > most) return { why: `${why}, which is more than a whole budget` };
    return { why: `${why}; ${next}`, until };
  }

  /** The same for creations that are counted in `open` already. */
  passed({ open, now }: Moment): PassedLimit | undefined {
    const limit = this.#smallest({ open, now });
    if (limit === undefined || limit.spent <= limit.most) return undefined;
    const { reached, until } = limit;
    const why = `${reached}: others were charged more than expected while this waited`;
    return { why, ...(until === undefined ? {} : { until }) };
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
    const { total, journal } = this.#o;
    const ofRun: readonly Limit[] =
      total === undefined
        ? []
        : [
            {
              ...{ most: total, spent: committed(journal.account) + open, next: '' },
              reached: `the budget of ${total} credits is reached`,
            },
          ];
    if (this.#calendar === undefined) return ofRun;
    const ofCalendar = this.#calendar.at(now, journal.ledger);
    return [
      ...ofRun,
      ...ofCalendar.map((limit): Limit => {
        const { period, most, spent } = limit;
        return {
          ...{ most, spent: spent + open, until: period.until },
          reached: `budget.per_${period.per} is reached, ${most} credits for ${period.name}`,
          next: `the next ${period.per} begins at ${nextBeginsAt(limit)}`,
        };
      }),
    ];
  }
}
