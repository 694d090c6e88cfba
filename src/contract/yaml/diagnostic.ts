// Diagnostics: what is wrong in a file, where, and how to fix it.
import leven from 'leven';
import { printable } from '../base/printable.ts';
import type { Code } from '../codes/all.ts';
import { frameOf } from './frame.ts';
import type { Span } from './place.ts';

interface Finding {
  readonly severity: 'error' | 'warning';
  /** The file as the user named it. */
  readonly file: string;
  readonly message: string;
  /** The lines around the place, if the file is not the one whose text is at hand: a table of items. */
  readonly excerpt?: Excerpt;
}

export interface Excerpt {
  /** The number of the first line in the file, from 1. */
  readonly firstLine: number;
  readonly text: string;
}

/** The texts of the files that a pipeline file includes, by their names in diagnostics. */
export type IncludedTexts = Readonly<Record<string, string>>;

/** With the file of the span, if it has one of its own. */
export function located(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.span?.file === undefined) return diagnostic;
  const { file, ...span } = diagnostic.span;
  return { ...diagnostic, file, span };
}

/** About the content of a file. */
export interface Diagnostic extends Finding {
  /** `shotlist explain` says more about it. */
  readonly code: Code;
  /** What to do about it. */
  readonly hint: string;
  /** Absent if the problem has no place in the text, for example an empty file. */
  readonly span?: Span;
}

/** About the command line or this machine: no content of a file is wrong, so there is no code and no place. */
export interface Obstacle extends Finding {
  readonly code?: never;
  readonly hint?: string;
  readonly span?: never;
}

export type Complaint = Diagnostic | Obstacle;

/** The most diagnostics to print; nobody reads more. JSON output has all. */
export const mostPrinted = 50;
/** Up to this number, all diagnostics are shown with code frames. */
const mostFrames = 12;
/** If there are more, only this number has code frames. */
const framesOfFlood = 5;
/** The most characters of a message or a hint to print. */
const mostSaid = 1000;

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
  if (hint !== undefined) lines.push(`  ${said(hint)}`);
  return lines.join('\n');
}

function headline({ file, severity, code, span }: Complaint, message: string): string {
  const place = span === undefined ? file : `${file}:${span.line}:${span.column}`;
  const kind = code === undefined ? severity : `${severity} ${code}`;
  return `${printable(place)}: ${kind}: ${said(message)}`;
}

/**
 * The first diagnostics, and the number of the others. Each place is shown once. If there are many,
 * only the first have code frames and the others take one line each, so that everything fits on a
 * page. `text` is the file's, `included` has those of other files.
 */
export function renderDiagnostics(
  diagnostics: readonly Complaint[],
  text: string | undefined,
  width?: number,
  included: IncludedTexts = {},
): string {
  const framed = diagnostics.length > mostFrames ? framesOfFlood : mostFrames;
  const shown = diagnostics.slice(0, mostPrinted).map((diagnostic, index) => {
    const before = diagnostics[index - 1];
    if (index >= framed) return inOneLine(diagnostic, before?.hint);
    const again = samePlace(diagnostic, before);
    const { file } = diagnostic;
    const own = Object.hasOwn(included, file) ? included[file] : text;
    return renderDiagnostic(diagnostic, again ? undefined : own, width);
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

function said(sentence: string): string {
  // A long name may be in the middle; the end of the sentence says why it is wrong.
  const short =
    sentence.length > mostSaid
      ? `${sentence.slice(0, mostSaid / 2)}…${sentence.slice(-mostSaid / 2)}`
      : sentence;
  return printable(short);
}

/** The most names to compare with a wrong one: a file may have thousands of both. */
const compared = 1000;
const listed = 20;

/** The known name that is closest to a wrong one. */
export function nearest(wrong: string, known: Iterable<string>): string | undefined {
  if (wrong.length > 100) return undefined;
  let best: string | undefined;
  // Every short word is near every other.
  const most = wrong.length < 3 ? 1 : Math.max(2, Math.floor(wrong.length / 3));
  let distance = most + 1;
  let looked = 0;
  for (const name of known) {
    if (looked++ >= compared) break;
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
  const rest = all.length - listed;
  const shown = all.slice(0, listed).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
