// Lines of a terminal as plain data: pieces of text with a meaning, which a terminal shows as a color.
import truncatedWidth from 'fast-string-truncated-width';
import { printable } from '../../base/printable.ts';

/** What a color repeats; the words and symbols say it, too. */
export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad' | 'unsure' | 'busy';

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Span[];

/** Names and reasons are escaped here, so that no line can break or obey. */
export const span = (text: string, tone: Tone = 'plain'): Span => ({ text: printable(text), tone });

/** In columns of a terminal. */
export const widthOf = (text: string): number => truncatedWidth(text).width;

export const lineWidth = (line: Line): number =>
  line.reduce((sum, { text }) => sum + widthOf(text), 0);

/** The line without spaces at its end, which a terminal that became narrower would wrap. */
export function trimmed(line: Line): Line {
  const last = line.at(-1);
  if (last === undefined) return line;
  const text = last.text.trimEnd();
  const before = line.slice(0, -1);
  return text === '' ? trimmed(before) : [...before, { ...last, text }];
}

/** The line, cut to so many columns, with an ellipsis if it is longer. */
export function cut(line: Line, columns: number): Line {
  if (lineWidth(line) <= columns) return line;
  const kept: Span[] = [];
  let room = columns;
  for (const { text, tone } of line) {
    const width = widthOf(text);
    // One column stays for the ellipsis.
    if (width < room) {
      kept.push({ text, tone });
      room -= width;
      continue;
    }
    const limit = Math.max(0, room - 1);
    const { index } = truncatedWidth(text, { limit, ellipsis: '' });
    const begin = text.slice(0, index);
    // A text that begins with some signs, such as an ellipsis, comes back a column too wide.
    const fitting = widthOf(begin) > limit ? begin.slice(0, -1) : begin;
    if (room > 0) kept.push({ text: `${fitting}…`, tone });
    break;
  }
  return kept;
}

export const textOf = (line: Line): string => line.map(({ text }) => text).join('');
