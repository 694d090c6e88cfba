// A table of items: rows by number, and the place of every value in the file.

import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { openRegular } from '../../base/regular-file.ts';
import type { Code } from '../../contract/codes.ts';
import type { CellPlace } from '../../model/item.ts';

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

export const maxEmptyLines = 3;

/** Something that is wrong in a table. */
export interface TableProblem {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
  readonly cell?: CellPlace;
}

export const maxProblems = 100;
/** A longer row is a forgotten quotation mark. */
export const maxRowBytes = 1_000_000;

/** How much of the file around a place to keep for a frame. */
const excerptBytes = 4096;

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
  const from = Math.max(0, offset - excerptBytes);
  const head = snapshot.read(from, offset).toString();
  const previous = head.lastIndexOf('\n', head.length - 2);
  const hasPrevious = offset > 0 && (previous >= 0 || from === 0);
  const tail = snapshot
    .read(offset, offset + excerptBytes)
    .toString()
    .split('\n')
    .slice(0, 2)
    .join('\n');
  const text = hasPrevious ? head.slice(previous + 1) + tail : tail;
  return { firstLine: hasPrevious ? line - 1 : line, text: text.replace(/^\ufeff|\r?\n$/g, '') };
}

function newlinesIn(text: string): number {
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

// The bytes of a table as they were when it was opened. A run may take hours, and people edit tables meanwhile: its items
// stay those that were planned. A large table is copied to a temporary file, so memory does not grow with it.

const maxMemoryBytes = 8 << 20;
/** How much is read at once, in bytes. */
const windowBytes = 1 << 18;
const newline = 0x0a;

export class Snapshot {
  #chunks: Buffer[] = [];
  #file: number | undefined;
  #size = 0;
  #window: { readonly start: number; readonly bytes: Buffer } = {
    start: 0,
    bytes: Buffer.alloc(0),
  };
  /** A place whose line is known: most questions ask for later places. */
  #known = { offset: 0, line: 1 };

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  append(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#file === undefined && this.#size <= maxMemoryBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#file ??= openUnnamed();
    for (const waiting of this.#chunks.splice(0)) writeSync(this.#file, waiting);
    writeSync(this.#file, chunk);
  }

  /** The bytes from `start` to `end`, exclusive. */
  read(start: number, end: number): Buffer {
    const until = Math.min(end, this.#size);
    const { start: first, bytes } = this.#window;
    if (start < first || until > first + bytes.length) this.#look(start, until);
    return this.#window.bytes.subarray(
      start - this.#window.start,
      Math.max(start, until) - this.#window.start,
    );
  }

  #look(start: number, end: number): void {
    if (this.#file === undefined) {
      if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
      this.#window = { start: 0, bytes: this.#chunks[0] ?? Buffer.alloc(0) };
      return;
    }
    const bytes = Buffer.allocUnsafe(
      Math.min(Math.max(end - start, windowBytes), this.#size - start),
    );
    let filled = 0;
    while (filled < bytes.length) {
      const read = readSync(this.#file, bytes, filled, bytes.length - filled, start + filled);
      if (read === 0) break;
      filled += read;
    }
    this.#window = { start, bytes: bytes.subarray(0, filled) };
  }

  /** The number of the line that contains an offset, from 1. */
  lineAt(offset: number): number {
    let { offset: at, line } = offset < this.#known.offset ? { offset: 0, line: 1 } : this.#known;
    while (at < offset) {
      const block = this.read(at, Math.min(offset, at + windowBytes));
      for (let next = block.indexOf(newline); next >= 0; next = block.indexOf(newline, next + 1))
        line += 1;
      at += block.length;
    }
    this.#known = { offset, line };
    return line;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#chunks = [];
  }
}

/** A temporary file without a name: it is gone when this process ends, whatever ends it. */
function openUnnamed(): number {
  const path = join(tmpdir(), `shotlist-table-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

// The text of a table. A table must be UTF-8: a wrong character would be sent and paid for.

const remedy = 'save it as UTF-8; in a spreadsheet program, choose "CSV UTF-8"';

/** Decodes a table chunk by chunk. */
export class TableText {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #snapshot: Snapshot;
  #begun = false;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The text of the next chunk, without a byte order mark; undefined if it is not text: then `problem` says why. */
  next(chunk: Buffer | undefined): string | undefined {
    try {
      const text =
        chunk === undefined
          ? this.#decoder.decode()
          : this.#decoder.decode(chunk, { stream: true });
      if (text.includes('\0')) return undefined;
      const isFirst = !this.#begun && text !== '';
      if (isFirst) this.#begun = true;
      return isFirst ? text.replace(/^\ufeff/, '') : text;
    } catch (error) {
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  }

  /** Why the last chunk, of this length, is not text. */
  problem(chunk: number): TableProblem {
    const [first, second] = this.#snapshot.read(0, 2);
    const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    const { size } = this.#snapshot;
    const from = Math.max(0, size - chunk - 4);
    const tail = this.#snapshot.read(from, size);
    const bad = wide ? 0 : firstBad(tail);
    const lineStart = tail.lastIndexOf(0x0a, Math.max(0, bad - 1)) + 1;
    const text = tail.subarray(lineStart, bad).toString();
    const byte = (tail[bad] ?? 0).toString(16).toUpperCase().padStart(2, '0');
    const cell = placeIn(this.#snapshot, from + lineStart, `${text}?`, {
      start: text.length,
      end: text.length + 1,
    });
    if (wide || tail[bad] === 0)
      return {
        code: 'SL001',
        message: `the table is not UTF-8 but UTF-16, or no text at all`,
        hint: remedy,
      };
    const message = `the table is not UTF-8 text: 0x${byte}, at byte ${from + bad}, is not part of a character`;
    return { code: 'SL001', message, hint: remedy, cell };
  }
}

/** The offset of the first byte that is no text. The first bytes may be the end of a character. */
function firstBad(bytes: Buffer): number {
  let start = 0;
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  let [low, high] = [start, bytes.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isText(bytes.subarray(start, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** True if the bytes are text, perhaps without the end of the last character. */
function isText(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return !text.includes('\0');
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
