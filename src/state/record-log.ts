// Records that are only ever added, in memory while they are few and in a temporary file beyond that. They need not be
// durable: every run writes them again from the state file.
import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In bytes. A record that is longer has a chunk of its own. */
const chunkBytes = 1 << 20;
/** How many chunks stay in memory: the records of some ten thousand items. */
const chunksInMemory = 32;
/** In bytes: what is read of the file at once, because the next record is often the next one in the file. */
const windowBytes = 1 << 16;

/** Where a record is. */
export interface RecordPlace {
  readonly chunk: number;
  readonly from: number;
  readonly length: number;
}

interface Chunk {
  /** Where the chunk begins in the file, once it is there. */
  readonly start: number;
  /** Undefined once it is in the file. */
  bytes: Buffer | undefined;
}

const nothing = Buffer.alloc(0);

const { O_CREAT, O_EXCL, O_RDWR } = constants;

export class RecordLog {
  readonly #chunks: Chunk[] = [];
  readonly #inMemory: number;
  /** How much of the last chunk is used. */
  #used = 0;
  #written = 0;
  #file: number | undefined;
  /** What was read of the file last. */
  #window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: nothing };
  readonly #read = Buffer.allocUnsafeSlow(windowBytes);
  #closed = false;

  constructor(inMemory = chunksInMemory) {
    this.#inMemory = inMemory;
  }

  add(text: string): RecordPlace {
    // No character takes more than three bytes for each of its units.
    const bytes = this.#roomFor(text.length * 3);
    const from = this.#used;
    const length = bytes.write(text, from);
    this.#used += length;
    return { chunk: this.#chunks.length - 1, from, length };
  }

  at({ chunk, from, length }: RecordPlace): string {
    const { bytes, start } = this.#chunkAt(chunk);
    if (bytes !== undefined) return bytes.toString('utf8', from, from + length);
    const first = start + from;
    if (!this.#holds(first, length)) this.#readFrom(first, length);
    const offset = first - this.#window.start;
    return this.#window.bytes.toString('utf8', offset, offset + length);
  }

  #holds(first: number, length: number): boolean {
    const { start, bytes } = this.#window;
    return first >= start && first + length <= start + bytes.length;
  }

  #readFrom(first: number, length: number): void {
    if (this.#file === undefined) throw new Error('bug: records are nowhere');
    const bytes = length > windowBytes ? Buffer.allocUnsafe(length) : this.#read;
    const read = readSync(this.#file, bytes, 0, bytes.length, first);
    if (read < length)
      throw new Error('the temporary file of the jobs was cut off by another program');
    this.#window = { start: first, bytes: bytes.subarray(0, read) };
  }

  close(): void {
    this.#closed = true;
    this.#chunks.length = 0;
    this.#window = { start: 0, bytes: nothing };
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #roomFor(most: number): Buffer {
    if (this.#closed) throw new Error('bug: the records are closed');
    const last = this.#chunks.at(-1)?.bytes;
    if (last !== undefined && last.length - this.#used >= most) return last;
    const before = this.#chunks.at(-1);
    const bytes = Buffer.allocUnsafeSlow(Math.max(chunkBytes, most));
    const start = before === undefined ? 0 : before.start + (before.bytes?.length ?? chunkBytes);
    this.#chunks.push({ start, bytes });
    this.#used = 0;
    if (this.#chunks.length - this.#written > this.#inMemory) this.#writeOldest();
    return bytes;
  }

  #writeOldest(): void {
    const chunk = this.#chunkAt(this.#written);
    const { bytes, start } = chunk;
    if (bytes === undefined) throw new Error('bug: a chunk is written twice');
    this.#file ??= temporaryFile();
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#file, bytes, done, bytes.length - done, start + done);
    chunk.bytes = undefined;
    // The end of the file was elsewhere when the window was read.
    this.#window = { start: 0, bytes: nothing };
    this.#written += 1;
  }

  #chunkAt(number: number): Chunk {
    const chunk = this.#chunks[number];
    if (chunk === undefined) throw new Error('bug: no such chunk');
    return chunk;
  }
}

/** A file without a name: it is gone when this process ends, however it ends. */
function temporaryFile(): number {
  const file = join(tmpdir(), `shotlist-${randomUUID()}`);
  const descriptor = openSync(file, O_RDWR | O_CREAT | O_EXCL, 0o600);
  unlinkSync(file);
  return descriptor;
}
