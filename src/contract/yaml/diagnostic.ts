// A diagnostic is a value with a place in the file: what is wrong, where, and what would be right.
import leven from 'leven';
import { printable } from '../base/printable.ts';
import { frameOf } from './frame.ts';
import type { Span } from './place.ts';

export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  /** The file as the user named it. */
  readonly file: string;
  /** Absent where the trouble has no place in the text, for example a missing file. */
  readonly span?: Span;
  readonly message: string;
  readonly hint?: string;
}

/** Diagnostics that are printed; nobody reads more. JSON output has all. */
export const mostPrinted = 50;
/** Diagnostics that are all shown with their places. */
const mostFrames = 12;
/** Where there are more, so many are. */
const framesOfFlood = 5;
/** Characters of a message or a hint that are printed. */
const mostSaid = 1000;

/** `file:line:column: error: message`, the lines around it with a caret, and the hint. `width` is the terminal's. */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  text: string | undefined,
  width?: number,
): string {
  const { span, file, severity, message, hint } = diagnostic;
  const place = span === undefined ? file : `${file}:${span.line}:${span.column}`;
  const lines = [`${printable(place)}: ${severity}: ${said(message)}`];
  if (span !== undefined && text !== undefined) lines.push(frameOf(text, span, width));
  if (hint !== undefined) lines.push(`  ${said(hint)}`);
  return lines.join('\n');
}

/**
 * The first of many diagnostics, and how many more there are. One place is shown once; in a flood only the first ones
 * are shown with their places, the others in a line each, so that the whole fits on a page.
 */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  text: string | undefined,
  width?: number,
): string {
  const framed = diagnostics.length > mostFrames ? framesOfFlood : mostFrames;
  const shown = diagnostics.slice(0, mostPrinted).map((diagnostic, index) => {
    const before = diagnostics[index - 1];
    if (index >= framed) return inOneLine(diagnostic, before?.hint);
    const again = samePlace(diagnostic, before);
    return renderDiagnostic(diagnostic, again ? undefined : text, width);
  });
  const rest = diagnostics.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more; --json lists them all`] : [])].join('\n');
}

/** A hint that was just given is not given again. */
function inOneLine(diagnostic: Diagnostic, hintBefore: string | undefined): string {
  const { hint, message, ...rest } = diagnostic;
  const cure = hint === undefined || hint === hintBefore ? '' : ` (${hint})`;
  return renderDiagnostic({ ...rest, message: `${message}${cure}` }, undefined);
}

const samePlace = ({ file, span }: Diagnostic, other: Diagnostic | undefined): boolean =>
  span !== undefined &&
  file === other?.file &&
  span.line === other.span?.line &&
  span.column === other.span.column;

function said(sentence: string): string {
  // A name of any length may stand in the middle; what is wrong with it stands behind.
  const short =
    sentence.length > mostSaid
      ? `${sentence.slice(0, mostSaid / 2)}…${sentence.slice(-mostSaid / 2)}`
      : sentence;
  return printable(short);
}

/** Names that are compared with a wrong one: a file with thousands of each must not take their product. */
const compared = 1000;
const listed = 20;

/** The known name that is close to a wrong one. */
export function nearest(wrong: string, known: Iterable<string>): string | undefined {
  if (wrong.length > 100) return undefined;
  let best: string | undefined;
  let distance = Math.max(2, Math.floor(wrong.length / 3)) + 1;
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

/** `a, b, c`, and how many more there are. */
export function listing(names: Iterable<string>): string {
  const all = [...names];
  const rest = all.length - listed;
  const shown = all.slice(0, listed).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
