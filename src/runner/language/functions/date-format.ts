// Formats a date for expressions: a small part of strftime, in numbers only, so that no locale and
// no time zone of the machine matters.
import { err, ok, type Result } from '../../../contract/base/result.ts';

/** The longest format, in characters. */
export const longestFormat = 100;

interface Moment {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

type Field = (moment: Moment) => string;

const two = (value: number): string => String(value).padStart(2, '0');
const four = (value: number): string => String(value).padStart(4, '0');

/** By letter, with what the letter stands for. */
export const dateFields: Readonly<Record<string, readonly [meaning: string, Field]>> = {
  Y: ['the year: 2026', ({ year }) => four(year)],
  y: ['the year, two digits: 26', ({ year }) => two(year % 100)],
  m: ['the month: 01 to 12', ({ month }) => two(month)],
  d: ['the day: 01 to 31', ({ day }) => two(day)],
  j: ['the day of the year: 001 to 366', (moment) => String(dayOfYear(moment)).padStart(3, '0')],
  H: ['the hour: 00 to 23', ({ hour }) => two(hour)],
  M: ['the minute: 00 to 59', ({ minute }) => two(minute)],
  S: ['the second: 00 to 59', ({ second }) => two(second)],
  u: ['the day of the week: 1, Monday, to 7, Sunday', (moment) => String(weekday(moment))],
  G: ['the year of the ISO week', (moment) => four(isoWeek(moment).year)],
  V: ['the ISO week: 01 to 53', (moment) => two(isoWeek(moment).week)],
};

/**
 * `text` is ISO 8601: a day, or a day with a time. The numbers are those of the text, whatever its
 * time zone.
 */
export function formatDate(text: string, format: string): Result<string, string> {
  if (text === '')
    return err('date(): the text is empty. run.due is empty if no schedule started the run');
  const moment = momentOf(text);
  if (moment === undefined)
    return err(`date(): ${JSON.stringify(text.slice(0, 60))} is not a date such as 2026-08-05`);
  if (format.length > longestFormat)
    return err(`date(): the format is longer than ${longestFormat} characters`);
  const unknown = Array.from(format.matchAll(/%(.?)/gsu), ([, letter = '']) => letter).find(
    (letter) => letter !== '%' && !Object.hasOwn(dateFields, letter),
  );
  if (unknown !== undefined)
    return err(
      `date(): "%${unknown}" is not part of a format; write ${Object.keys(dateFields)
        .map((letter) => `%${letter}`)
        .join(' ')} or %%`,
    );
  return ok(
    format.replace(/%(.)/g, (_, letter: string) => dateFields[letter]?.[1](moment) ?? letter),
  );
}

function momentOf(text: string): Moment | undefined {
  const found =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(
      text,
    );
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const moment = { year, month, day, hour, minute, second };
  const exists = new Date(utc(moment)).getUTCDate() === day && month >= 1 && month <= 12;
  return exists && hour < 24 && minute < 60 && second < 61 ? moment : undefined;
}

const day = 24 * 60 * 60 * 1000;

/** Midnight of a day, in UTC. `setUTCFullYear` takes years below 100 as they are. */
function utc({ year, month, day: date }: Pick<Moment, 'year' | 'month' | 'day'>): number {
  return new Date(0).setUTCFullYear(year, month - 1, date);
}

const dayOfYear = (moment: Moment): number =>
  Math.round((utc(moment) - utc({ year: moment.year, month: 1, day: 1 })) / day) + 1;

const weekday = (moment: Moment): number => new Date(utc(moment)).getUTCDay() || 7;

/** ISO 8601: a week belongs to the year that has its Thursday. */
function isoWeek(moment: Moment): { readonly year: number; readonly week: number } {
  const thursday = new Date(utc(moment) + (4 - weekday(moment)) * day);
  const year = thursday.getUTCFullYear();
  const first = utc({ year, month: 1, day: 1 });
  return { year, week: Math.floor((thursday.getTime() - first) / day / 7) + 1 };
}
