// budget.per_day and budget.per_month: how much of a day's and of a month's credits is spent, by the attempts of the ledger. An
// attempt counts for the day on which it was sent by the clock of that moment, also if that clock was ahead.

import type { Pipeline } from '../language/pipeline.ts';
import { daysIn } from '../language/schedule.ts';

/** A day or a month in a time zone. Moments are in epoch milliseconds. */
interface Period {
  readonly per: 'day' | 'month';
  /** YYYY-MM-DD or YYYY-MM. */
  readonly name: string;
  readonly from: number;
  /** When the next one begins. */
  readonly until: number;
}

/** What a cap of a period leaves at a moment. */
export interface CalendarLimit {
  readonly period: Period;
  readonly timeZone: string;
  /** The cap, in credits. */
  readonly most: number;
  /** Credits charged for the attempts of the period, minus refunds, or set aside for them. */
  readonly spent: number;
  /** The record has attempts of a later period: their clock was ahead, or this one is behind. */
  readonly behind?: { readonly clock: number; readonly record: number };
}

export interface CalendarCaps {
  readonly perDay?: number | undefined;
  readonly perMonth?: number | undefined;
  /** An IANA name. */
  readonly timeZone: string;
}

/** The caps of a pipeline, in the time zone of its schedule. */
export function calendarCaps({
  budget,
  schedule,
}: Pick<Pipeline, 'budget' | 'schedule'>): CalendarCaps {
  const { perDay, perMonth } = budget;
  return { perDay, perMonth, timeZone: schedule?.timeZone ?? 'UTC' };
}

/** The ledger, as far as a budget reads it. */
interface SpentByTime {
  /** Credits that attempts of a time cost or hold. Epoch milliseconds. */
  since(from: number, until: number): number;
  /** When the last attempt was sent, in epoch milliseconds; undefined if none was. */
  readonly lastSent: number | undefined;
}

export class CalendarBudget {
  readonly #caps: readonly { readonly per: Period['per']; readonly most: number }[];
  readonly #timeZone: string;
  readonly #periods = new Map<Period['per'], Period>();

  constructor({ perDay, perMonth, timeZone }: CalendarCaps) {
    this.#timeZone = timeZone;
    this.#caps = [
      ...(perDay === undefined ? [] : [{ per: 'day', most: perDay } as const]),
      ...(perMonth === undefined ? [] : [{ per: 'month', most: perMonth } as const]),
    ];
  }

  get isEmpty(): boolean {
    return this.#caps.length === 0;
  }

  at(now: number, ledger: SpentByTime): readonly CalendarLimit[] {
    const { lastSent = 0 } = ledger;
    return this.#caps.map(({ per, most }) => {
      const period = this.#periodAt(per, now);
      const spent = ledger.since(period.from, period.until);
      const limit = { period, timeZone: this.#timeZone, most, spent };
      return lastSent < period.until
        ? limit
        : { ...limit, behind: { clock: now, record: lastSent } };
    });
  }

  #periodAt(per: Period['per'], now: number): Period {
    const known = this.#periods.get(per);
    if (known !== undefined && known.from <= now && now < known.until) return known;
    const period = periodAt(per, this.#timeZone, now);
    this.#periods.set(per, period);
    return period;
  }
}

const hourMs = 3_600_000;
/** Longer than any day and any month, changes of the clock included. */
const maxPeriodMs = { day: 50 * hourMs, month: 33 * 24 * hourMs } as const;

function periodAt(per: Period['per'], timeZone: string, now: number): Period {
  const dayAt = daysIn(timeZone);
  const nameAt = (moment: number): string => dayAt(moment).slice(0, per === 'day' ? 10 : 7);
  const name = nameAt(now);
  const reach = maxPeriodMs[per];
  return {
    per,
    name,
    from: firstWhere((moment) => nameAt(moment) >= name, now - reach, now),
    until: firstWhere((moment) => nameAt(moment) > name, now, now + reach),
  };
}

/** The first moment at which it is true, between one at which it is false and one at which it is true. */
function firstWhere(isTrue: (moment: number) => boolean, before: number, after: number): number {
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isTrue(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The beginning of the next period in its time zone, for people. */
export const nextBeginsAt = ({ period, timeZone }: Omit<CalendarLimit, 'most' | 'spent'>): string =>
  `${momentIn(timeZone, period.until)} ${timeZone}`;

/** YYYY-MM-DD HH:MM. */
export function momentIn(timeZone: string, moment: number): string {
  const format = { timeZone, dateStyle: 'short', timeStyle: 'short' } as const;
  // Swedish dates are written as ISO dates.
  return new Intl.DateTimeFormat('sv-SE', format).format(moment);
}
