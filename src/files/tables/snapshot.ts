// The bytes of a table as they were when it was opened. A run may take hours, and people edit tables meanwhile: its items
// stay those that were planned. A large table is copied to a temporary file, so memory does not grow with it.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A larger table is not kept in memory, in bytes. */
const inMemory = 8 << 20;
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
    if (this.#file === undefined && this.#size <= inMemory) {
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
