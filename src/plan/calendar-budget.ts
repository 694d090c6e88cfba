// budget.per_day and budget.per_month: how much of a day's and of a month's credits is spent, by the runs of the ledger.
// People set clocks, also back: the time is the latest that the record has seen, so that no day comes a second time.

import type { Pipeline } from '../language/pipeline.ts';
import { daysIn } from '../language/schedule.ts';
import type { CreditTotals } from '../model/ledger.ts';
import type { RunLine } from '../model/line.ts';

/** A day or a month in a time zone. Moments are in epoch milliseconds. */
export interface Period {
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
  /** Credits charged by the runs of the period, minus refunds, and all credits that are set aside. */
  readonly spent: number;
  /** By the clock it would be another period; by the record it is this one, which is later. */
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
export interface SpentByRuns {
  runs(): readonly RunLine[];
  readonly total: Pick<CreditTotals, 'reserved'>;
}

export class CalendarBudget {
  readonly #caps: readonly Cap[];
  readonly #timeZone: string;
  readonly #seen = new SeenTimes();

  constructor({ perDay, perMonth, timeZone }: CalendarCaps) {
    this.#timeZone = timeZone;
    this.#caps = [
      ...(perDay === undefined ? [] : [new Cap('day', perDay)]),
      ...(perMonth === undefined ? [] : [new Cap('month', perMonth)]),
    ];
  }

  get isEmpty(): boolean {
    return this.#caps.length === 0;
  }

  /** `now`: by the clock. */
  at(now: number, ledger: SpentByRuns): readonly CalendarLimit[] {
    if (this.isEmpty) return [];
    const record = this.#seen.latest(now, ledger.runs());
    return this.#caps.map((cap) => {
      const limit = cap.at(record, this.#timeZone, ledger);
      return now < limit.period.from ? { ...limit, behind: { clock: now, record } } : limit;
    });
  }
}

/** The latest of all times that the record and this process have seen. */
class SeenTimes {
  #latest = Number.NEGATIVE_INFINITY;
  #runs = -1;

  latest(now: number, runs: readonly RunLine[]): number {
    this.#latest = Math.max(this.#latest, now);
    if (this.#runs === runs.length) return this.#latest;
    this.#runs = runs.length;
    for (const run of runs) this.#latest = laterOf(this.#latest, run);
    return this.#latest;
  }
}

/** A time that nobody can read changes nothing. */
const laterOf = (time: number, { at, ended = at }: RunLine): number =>
  Math.max(time, Date.parse(at) || time, Date.parse(ended) || time);

class Cap {
  readonly #per: Period['per'];
  readonly #most: number;
  #period: Period | undefined;
  /** The runs that overlap the period, by position; valid for this number of runs. */
  #overlapping: { readonly of: number; readonly positions: readonly number[] } | undefined;

  constructor(per: Period['per'], most: number) {
    this.#per = per;
    this.#most = most;
  }

  at(now: number, timeZone: string, ledger: SpentByRuns): CalendarLimit {
    const period = this.#periodAt(now, timeZone);
    const runs = ledger.runs();
    let spent = ledger.total.reserved;
    for (const position of this.#positions(runs, period)) {
      const run = runs[position];
      if (run !== undefined) spent += Math.max(0, run.charged - run.refunded);
    }
    return { period, timeZone, most: this.#most, spent };
  }

  #periodAt(now: number, timeZone: string): Period {
    const known = this.#period;
    if (known !== undefined && known.from <= now && now < known.until) return known;
    this.#overlapping = undefined;
    this.#period = periodAt(this.#per, timeZone, now);
    return this.#period;
  }

  #positions(runs: readonly RunLine[], period: Period): readonly number[] {
    if (this.#overlapping?.of === runs.length) return this.#overlapping.positions;
    const positions: number[] = [];
    let record = Number.NEGATIVE_INFINITY;
    for (const [position, run] of runs.entries()) {
      record = laterOf(record, run);
      if (overlaps(run, record, period)) positions.push(position);
    }
    this.#overlapping = { of: runs.length, positions };
    return positions;
  }
}

/**
 * True if some of the run may lie in the period. Such a run counts whole: that may be too much, and is never too little.
 * A run without an end is in progress. `record`: the latest time of this run and of those before it, because its clock may
 * have been behind.
 */
function overlaps({ at, ended }: RunLine, record: number, { from, until }: Period): boolean {
  if (ended === undefined) return true;
  // A time that nobody can read compares as false.
  return !(Date.parse(at) >= until) && !(record < from && Date.parse(ended) < from);
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
