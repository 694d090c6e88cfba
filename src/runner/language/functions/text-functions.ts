// Functions of expressions for texts and dates.
import { budget, maxSize } from '../evaluation-budget.ts';
import { formatDate } from './date-format.ts';
import { type ExpressionFunction, orStop, ours, stop } from './function.ts';

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
