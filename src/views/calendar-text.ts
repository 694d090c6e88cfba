// What budget.per_day and budget.per_month leave, as plain data and as text.

import { count } from '../base/text.ts';
import { type CalendarLimit, momentIn, nextBeginsAt } from '../core/calendar-budget.ts';

interface BudgetLeft {
  readonly per: 'day' | 'month';
  /** YYYY-MM-DD or YYYY-MM, in the time zone. */
  readonly period: string;
  readonly timeZone: string;
  /** The cap, and what is spent or set aside of it, in credits. */
  readonly most: number;
  readonly spent: number;
  readonly left: number;
  /** ISO 8601: when the next period begins. */
  readonly nextAt: string;
}

export function budgetLeft({ period, timeZone, most, spent }: CalendarLimit): BudgetLeft {
  return {
    per: period.per,
    period: period.name,
    timeZone,
    most,
    spent,
    left: Math.max(0, most - spent),
    nextAt: new Date(period.until).toISOString(),
  };
}

/** For a record of a clock that was ahead; undefined if there is none. */
export function behindText(limits: readonly CalendarLimit[]): string | undefined {
  for (const { behind, period, timeZone } of limits)
    if (behind !== undefined) {
      const [clock, record] = [behind.clock, behind.record].map((ms) => momentIn(timeZone, ms));
      return (
        `the clock says ${clock}, and the record has a purchase of ${record} ${timeZone}: ` +
        `budget.per_${period.per} counts it for that ${period.per}, not for ${period.name}`
      );
    }
  return undefined;
}

/** `credits`: what the plan may take. */
export const budgetLeftText = (limit: CalendarLimit, credits: number): string =>
  stopText(limit, credits) ?? leftText(limit);

function leftText(limit: CalendarLimit): string {
  const { left, per, period, most } = budgetLeft(limit);
  return `budget.per_${per}: ${left} of ${count(most, 'credit')} are left for ${period}.`;
}

/** Where a run will stop; undefined if the plan fits. */
export function stopText(limit: CalendarLimit, credits: number): string | undefined {
  const { left, per } = budgetLeft(limit);
  if (credits <= left) return undefined;
  return (
    `${leftText(limit)} The plan may take ${credits}, so a run stops when the ${left} are spent; ` +
    `the next ${per} begins at ${nextBeginsAt(limit)}.`
  );
}
