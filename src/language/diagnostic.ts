// A diagnostic is a value with a place in the file: what is wrong, where, and what would be right.
import { codeFrameColumns } from '@babel/code-frame';
import leven from 'leven';
import { printable } from '../base/printable.ts';

/** A place in a text: lines and columns count from 1; the end is exclusive. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  /** The file as the user named it. */
  readonly file: string;
  /** Absent where the trouble has no place in the text, for example a missing file. */
  readonly span?: Span;
  readonly message: string;
  readonly hint?: string;
}

/** `file:line:column: error: message`, the lines around it with a caret, and the hint. */
export function renderDiagnostic(diagnostic: Diagnostic, text: string | undefined): string {
  const { span, file, severity, message, hint } = diagnostic;
  const place = span === undefined ? file : `${file}:${span.line}:${span.column}`;
  const lines = [printable(`${place}: ${severity}: ${message}`)];
  if (span !== undefined && text !== undefined) {
    const sameLine = span.endLine === span.line && span.endColumn > span.column;
    const column = span.column - 1; // The frame counts columns from 0, people from 1.
    lines.push(
      codeFrameColumns(
        printable(text, true),
        {
          start: { line: span.line, column },
          ...(sameLine ? { end: { line: span.line, column: span.endColumn - 1 } } : {}),
        },
        { linesAbove: 1, linesBelow: 1, highlightCode: false },
      ),
    );
  }
  if (hint !== undefined) lines.push(`  ${printable(hint)}`);
  return lines.join('\n');
}

/** "did you mean …?" for a name that is close to a known one. */
export function suggestion(wrong: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let distance = Math.max(2, Math.floor(wrong.length / 3)) + 1;
  for (const name of known) {
    const away = leven(wrong.toLowerCase(), name.toLowerCase());
    if (away < distance) [best, distance] = [name, away];
  }
  return best === undefined ? undefined : `did you mean "${best}"?`;
}
