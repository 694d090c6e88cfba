// Functions of expressions for texts and dates.

import { err, ok, type Result } from '../../base/result.ts';
import { budget, maxSize } from '../evaluation-budget.ts';
import { type ExpressionFunction, orStop, ours, stop } from './function.ts';

// Formats a date for expressions: a small part of strftime, in numbers only, so that no locale and
// no time zone of the machine matters.

/** The longest format, in characters. */
const longestFormat = 100;

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
function formatDate(text: string, format: string): Result<string, string> {
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

/** The widest padding, in characters. */
const widest = 100;

function pad(value: bigint | string, width: bigint): string {
  if (width < 0n || width > widest) stop(`pad(): the width must be from 0 to ${widest}`);
  const text = String(value);
  const sign = text.startsWith('-') && typeof value === 'bigint' ? '-' : '';
  return sign + text.slice(sign.length).padStart(Number(width) - sign.length, '0');
}

/** `limit`: how many to replace, from the left; all if it is negative. */
function replace(text: string, old: string, by: string, limit = -1n): string {
  const parts = old === '' ? ['', ...text, ''] : text.split(old);
  const most = limit < 0n ? parts.length - 1 : Math.min(Number(limit), parts.length - 1);
  const size = text.length + most * by.length;
  budget.spend(parts.length + size / 10);
  if (size > maxSize) stop('replace(): the result is too large');
  return parts.slice(0, most + 1).join(by) + rest(parts, most, old);
}

const rest = (parts: readonly string[], most: number, old: string): string =>
  most + 1 < parts.length ? old + parts.slice(most + 1).join(old) : '';

export const textFunctions: readonly ExpressionFunction[] = [
  ours(
    'pad',
    { 'pad(int, int): string': pad, 'pad(string, int): string': pad },
    {
      description: 'A number or a text with zeros before it, up to a width of at most 100.',
      examples: [['pad(7, 3)', '007']],
    },
  ),
  ours(
    'date',
    { 'date(string, string): string': (text, format) => orStop(formatDate(text, format)) },
    {
      description: 'A date in another format. The first argument is a value such as `run.date`.',
      examples: [
        ['date("2026-08-05", "%Y/%m")', '2026/08'],
        ['date("2026-08-05T07:30:00+02:00", "%d.%m. %H:%M")', '05.08. 07:30'],
      ],
    },
  ),
  ours(
    'replace',
    {
      'string.replace(string, string): string': replace,
      'string.replace(string, string, int): string': replace,
    },
    {
      description: 'A text with one part replaced by another: all of them, or the first few.',
      examples: [
        ['"a_b_c".replace("_", " ")', 'a b c'],
        ['"a_b_c".replace("_", " ", 1)', 'a b_c'],
      ],
    },
  ),
  {
    name: 'split',
    signatures: ['string.split(string): list<string>', 'string.split(string, int): list<string>'],
    description: 'The parts of a text between a separator, at most so many.',
    examples: [['"red,green".split(",")', ['red', 'green']]],
  },
  {
    name: 'join',
    signatures: ['list<string>.join(string): string', 'list<string>.join(): string'],
    description: 'The texts of a list as one text.',
    examples: [['["red", "green"].join(" and ")', 'red and green']],
  },
  {
    name: 'lowerAscii',
    signatures: ['string.lowerAscii(): string'],
    description: 'A text in lower case.',
    examples: [['"IMG_7".lowerAscii()', 'img_7']],
  },
  {
    name: 'upperAscii',
    signatures: ['string.upperAscii(): string'],
    description: 'A text in upper case.',
    examples: [['"de".upperAscii()', 'DE']],
  },
  {
    name: 'trim',
    signatures: ['string.trim(): string'],
    description: 'A text without white space at its ends.',
    examples: [['" a cat ".trim()', 'a cat']],
  },
  {
    name: 'substring',
    signatures: ['string.substring(int): string', 'string.substring(int, int): string'],
    description: 'A part of a text: from one position, up to before another.',
    examples: [['"IMG_0412".substring(4)', '0412']],
  },
  {
    name: 'contains',
    signatures: ['string.contains(string): bool'],
    description: 'Whether a text contains another; also `startsWith` and `endsWith`.',
    examples: [
      ['"a small harbour".contains("small")', true],
      ['"draft-1".startsWith("draft")', true],
    ],
  },
];
