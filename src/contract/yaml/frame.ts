// Code frames: the lines around a place, with a caret, and never wider than the terminal.
import { codeFrameColumns } from '@babel/code-frame';
import { printable } from '../base/printable.ts';
import type { Span } from './place.ts';

/** The width of a frame if the width of the terminal is unknown, in columns. */
export const usualWidth = 100;
/** The least columns for the text, even on a narrow terminal. */
const least = 20;

/** `firstLine`: the number of the first line of the text. */
export function frameOf(text: string, span: Span, width = usualWidth, firstLine = 1): string {
  const first = Math.max(span.line - 1, firstLine);
  const before = firstLine - 1;
  const lines = linesFrom(text, first - before, span.line + 1 - before);
  const gutter = String(first + lines.length - 1).length + 5;
  const room = Math.max(width - gutter, least);
  const line = lines[span.line - first] ?? '';
  const column = Math.min(span.column - 1, line.length);
  const from = windowFor(lines, column, room);
  const shown = lines.map((one) => cut(one, from, room));
  const sameLine = span.endLine === span.line && span.endColumn > span.column;
  // The frame counts columns from 0, people from 1.
  const start = { line: span.line, column: column - from };
  const end = { line: span.line, column: Math.min(span.endColumn - 1 - from, room) };
  return codeFrameColumns(
    shown.join('\n'),
    { start, ...(sameLine && end.column > start.column ? { end } : {}) },
    { linesAbove: 1, linesBelow: 1, highlightCode: false, startLine: first },
  );
}

/** The lines of a text from `first` to `last`, counted from 1, without copying the others. */
function linesFrom(text: string, first: number, last: number): readonly string[] {
  const found: string[] = [];
  let start = 0;
  for (let number = 1; number <= last; number++) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    if (number >= first) found.push(text.slice(start, end).replace(/\r$/, ''));
    if (next < 0) break;
    start = next + 1;
  }
  return found;
}

/**
 * The first column to show, the same for all lines, so that the place is in the first two thirds.
 */
function windowFor(lines: readonly string[], column: number, room: number): number {
  if (lines.every((line) => line.length <= room)) return 0;
  return Math.max(0, column - Math.floor((room * 2) / 3));
}

function cut(line: string, from: number, room: number): string {
  const part = Array.from(line.slice(from, from + room), oneColumn).join('');
  const before = from > 0 && line.length > from ? `…${part.slice(1)}` : part;
  return line.length > from + room ? `${before.slice(0, -1)}…` : before;
}

/**
 * Replaces characters that would move the caret: control characters, and line ends that only some
 * programs know.
 */
const oneColumn = (character: string): string =>
  character === '\t' || /[\u2028\u2029]/.test(character) ? ' ' : printable(character);
