// A table of items: rows by number, and the place of every value in the file.
import type { JsonObject } from '../../base/json.ts';
import { openRegular } from '../../base/regular-file.ts';
import type { Code } from '../../contract/codes/all.ts';
import type { CellPlace } from '../../model/item.ts';
import type { Snapshot } from './snapshot.ts';

export interface Table {
  /** For CSV, the header; for JSONL, every name that some row has. */
  readonly columns: readonly string[];
  readonly count: number;
  /** Rows without a value, which are left out; blank lines at the end of the file are no rows. */
  readonly emptyRows: EmptyRows;
  /** The row with a number, from 0. */
  row(index: number): JsonObject;
  /** The place of the first of these columns that the row has; without one, the place of the row. */
  cell(index: number, columns: readonly string[]): CellPlace;
  close(): void;
}

export interface EmptyRows {
  readonly count: number;
  /** Of the first few. */
  readonly lines: readonly number[];
}

/** How many places of empty rows to keep. */
export const mostEmptyLines = 3;

/** Something that is wrong in a table. */
export interface TableProblem {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
  readonly cell?: CellPlace;
}

/** The most problems of one table to report. */
export const mostProblems = 100;
/** In bytes. A longer row is a forgotten quotation mark. */
export const longestRow = 1_000_000;

/** How much of the file around a place to keep for a frame, in bytes. */
const around = 4096;

/** The place of a part of a row's text: `start` and `end` are offsets in the text of the row that begins at `row`. */
export function placeIn(
  snapshot: Snapshot,
  row: number,
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): CellPlace {
  const before = text.slice(0, start);
  const lineStart = before.lastIndexOf('\n') + 1;
  const rowLine = snapshot.lineAt(row);
  const line = rowLine + newlinesIn(before);
  const value = text.slice(start, end);
  const lines = newlinesIn(value);
  const column = start - lineStart + 1;
  const endColumn = lines === 0 ? column + value.length : value.length - value.lastIndexOf('\n');
  const offset = row + Buffer.byteLength(text.slice(0, lineStart));
  return {
    span: { line, column, endLine: line + lines, endColumn },
    excerpt: excerptAt(snapshot, offset, line),
  };
}

/** The line that begins at an offset, with the lines before and after it. */
function excerptAt(snapshot: Snapshot, offset: number, line: number): CellPlace['excerpt'] {
  const from = Math.max(0, offset - around);
  const head = snapshot.read(from, offset).toString();
  const previous = head.lastIndexOf('\n', head.length - 2);
  const hasPrevious = offset > 0 && (previous >= 0 || from === 0);
  const tail = snapshot
    .read(offset, offset + around)
    .toString()
    .split('\n')
    .slice(0, 2)
    .join('\n');
  const text = hasPrevious ? head.slice(previous + 1) + tail : tail;
  return { firstLine: hasPrevious ? line - 1 : line, text: text.replace(/^\ufeff|\r?\n$/g, '') };
}

export function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The chunks of a file, each of them also in the snapshot. */
export async function* chunksOf(path: string, snapshot: Snapshot): AsyncGenerator<Buffer> {
  await using file = await openRegular(path);
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(1 << 16) });
    if (bytesRead === 0) return;
    const chunk = buffer.subarray(0, bytesRead);
    snapshot.append(chunk);
    yield chunk;
  }
}
