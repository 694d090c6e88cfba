// Diagnostics: what is wrong in a file, where, and how to fix it.

import { codeFrameColumns } from '@babel/code-frame';
import leven from 'leven';
import { printable } from '../../base/printable.ts';
import type { Code } from '../codes.ts';

/** A place in a document: keys and indexes from the root. */
export type Path = readonly (string | number)[];

/** A place in a text: lines and columns count from 1; the end is exclusive. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** What is wrong, without its place. */
export interface Finding {
  /** `shotlist explain` says more about it. */
  readonly code: Code;
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

interface Complained {
  readonly severity: 'error' | 'warning';
  /** The file as the user named it. */
  readonly file: string;
  readonly message: string;
  /** The lines around the place, if the file is not the one whose text is at hand: a table of items. */
  readonly excerpt?: Excerpt;
}

interface Excerpt {
  /** The number of the first line in the file, from 1. */
  readonly firstLine: number;
  readonly text: string;
}

/** About the content of a file. */
export interface Diagnostic extends Complained, Finding {
  /** Absent if the problem has no place in the text, for example an empty file. */
  readonly span?: Span;
}

/** About the command line or this machine: no content of a file is wrong, so there is no code and no place. */
export interface Obstacle extends Complained {
  readonly code?: never;
  readonly hint?: string;
  readonly span?: never;
}

export type Complaint = Diagnostic | Obstacle;

export const errorAt = (file: string, span: Span, finding: Finding): Diagnostic => ({
  severity: 'error',
  code: finding.code,
  file,
  span,
  message: finding.message,
  hint: finding.hint,
});

/** Nobody reads more. JSON output has all. */
export const maxPrinted = 50;
/** Up to this number, all diagnostics are shown with code frames. */
const maxFrames = 12;
/** If there are more, only this number has code frames. */
const framesOfFlood = 5;
const maxMessageChars = 1000;

/**
 * `file:line:column: error SL012: message`, the lines around it with a caret, and the hint. `width`
 * is the terminal's.
 */
export function renderDiagnostic(
  diagnostic: Complaint,
  text: string | undefined,
  width?: number,
): string {
  const { span, message, hint, excerpt } = diagnostic;
  const lines = [headline(diagnostic, message)];
  if (span !== undefined && text !== undefined)
    lines.push(frameOf(excerpt?.text ?? text, span, width, excerpt?.firstLine));
  if (hint !== undefined) lines.push(`  ${shortened(hint)}`);
  return lines.join('\n');
}

function headline({ file, severity, code, span }: Complaint, message: string): string {
  const place = span === undefined ? file : `${file}:${span.line}:${span.column}`;
  const kind = code === undefined ? severity : `${severity} ${code}`;
  return `${printable(place)}: ${kind}: ${shortened(message)}`;
}

/**
 * The first diagnostics, and the number of the others. Each place is shown once. If there are many,
 * only the first have code frames and the others take one line each, so that everything fits on a
 * page.
 */
export function renderDiagnostics(
  diagnostics: readonly Complaint[],
  text: string | undefined,
  width?: number,
): string {
  const framed = diagnostics.length > maxFrames ? framesOfFlood : maxFrames;
  const shown = diagnostics.slice(0, maxPrinted).map((diagnostic, index) => {
    const before = diagnostics[index - 1];
    if (index >= framed) return inOneLine(diagnostic, before?.hint);
    const again = samePlace(diagnostic, before);
    return renderDiagnostic(diagnostic, again ? undefined : text, width);
  });
  const rest = diagnostics.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more; --json lists them all`] : [])].join('\n');
}

/** Does not repeat the previous hint. */
function inOneLine(diagnostic: Complaint, hintBefore: string | undefined): string {
  const { hint, message } = diagnostic;
  const cure = hint === undefined || hint === hintBefore ? '' : ` (${hint})`;
  return headline(diagnostic, `${message}${cure}`);
}

const samePlace = ({ file, span }: Complaint, other: Complaint | undefined): boolean =>
  span !== undefined &&
  file === other?.file &&
  span.line === other.span?.line &&
  span.column === other.span.column;

function shortened(sentence: string): string {
  if (sentence.length <= maxMessageChars) return printable(sentence);
  // A long name may be in the middle; the end of the sentence says why it is wrong.
  const half = maxMessageChars / 2;
  return printable(`${sentence.slice(0, half)}…${sentence.slice(-half)}`);
}

/** A file may have thousands of wrong names and of known ones. */
const maxCompared = 1000;
const maxListed = 20;

/** The known name that is closest to a wrong one. */
export function nearest(wrong: string, known: Iterable<string>): string | undefined {
  if (wrong.length > 100) return undefined;
  let best: string | undefined;
  // Every short word is near every other.
  const maxDistance = wrong.length < 3 ? 1 : Math.max(2, Math.floor(wrong.length / 3));
  let distance = maxDistance + 1;
  let compared = 0;
  for (const name of known) {
    if (compared++ >= maxCompared) break;
    if (Math.abs(name.length - wrong.length) >= distance) continue;
    const away = leven(wrong.toLowerCase(), name.toLowerCase());
    if (away < distance) [best, distance] = [name, away];
  }
  return best;
}

/** "did you mean …?" for a name that is close to a known one. */
export function suggestion(wrong: string, known: Iterable<string>): string | undefined {
  const near = nearest(wrong, known);
  return near === undefined ? undefined : `did you mean "${near}"?`;
}

/** `a, b, c`, and the number of the others. */
export function listing(names: Iterable<string>): string {
  const all = [...names];
  const rest = all.length - maxListed;
  const shown = all.slice(0, maxListed).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

// Code frames: the lines around a place, with a caret, and never wider than the terminal.

/** In columns, if the width of the terminal is unknown. */
const defaultWidth = 100;
/** In columns, even on a narrow terminal. */
const minTextWidth = 20;

/** `firstLine`: the number of the first line of the text. */
function frameOf(text: string, span: Span, width = defaultWidth, firstLine = 1): string {
  const first = Math.max(span.line - 1, firstLine);
  const before = firstLine - 1;
  const lines = linesFrom(text, first - before, span.line + 1 - before);
  const gutter = String(first + lines.length - 1).length + 5;
  const room = Math.max(width - gutter, minTextWidth);
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
