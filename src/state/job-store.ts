// Keeps jobs in few bytes, and on disk when they are many, so that memory does not grow with their number. Every run
// fills the store from the state file, so it need not be durable.

import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markOf } from '../base/digest.ts';
import { comesBefore, type JobStore, jobIn } from '../model/job-store.ts';
import type { JobLine } from '../model/line.ts';
import { RowReader } from '../model/rows.ts';

export const diskStore = (log?: RecordLog): DiskStore => new DiskStore(log);

/** How many of the jobs that were used last stay objects. */
const hotJobs = 1_000;

/** A job that is an object. */
interface Hot {
  readonly entry: number;
  line: JobLine;
  /** The record that says the same; undefined if there is none yet. */
  record: RecordPlace | undefined;
  /** True if the job was used since the store last looked for one to let go. */
  used: boolean;
}

class DiskStore implements JobStore {
  readonly rows = new RowReader();
  readonly #log: RecordLog;
  readonly #index = new RecordIndex();
  readonly #hot: Hot[] = [];
  /** Which of `#hot` is the next to be let go, if it was not used meanwhile. */
  #hand = 0;
  /** The job that was asked for last, because the ledger sets a job right after it has asked for it. */
  #asked = '';
  #found: Hot | undefined;
  /** True as long as jobs are added in the order of `sorted`, as they are in a compacted file. */
  #inOrder = true;
  /** The job that was added last. */
  #last: JobLine | undefined;
  /** The entries in their order, until it changes: commands that only read go through all jobs several times. */
  #order: Uint32Array | undefined;

  constructor(log = new RecordLog()) {
    this.#log = log;
  }

  get(job: string): JobLine | undefined {
    return this.#find(job)?.line;
  }

  set(line: JobLine, text?: string): void {
    const known = this.#find(line.job);
    const record = text === undefined ? undefined : this.#log.add(text);
    if (known === undefined) {
      const entry = this.#index.add(line.job);
      this.#noteOrder(line);
      this.#found = this.#heat({ entry, line, record, used: false });
    } else {
      if (known.line.tasks[0] !== line.tasks[0]) {
        this.#inOrder = false;
        this.#order = undefined;
      }
      known.line = line;
      known.record = record;
    }
  }

  *sorted(): Iterable<JobLine> {
    this.#order ??= this.#sortedEntries();
    for (const entry of this.#order) yield this.#lineAt(entry);
  }

  close(): void {
    this.#hot.length = 0;
    this.#asked = '';
    this.#log.close();
  }

  #find(job: string): Hot | undefined {
    if (job !== this.#asked) {
      const entry = this.#index.find(job, (mark) => this.#hotAt(mark).line.job === job);
      this.#found = entry === undefined ? undefined : this.#hotAt(entry);
      this.#asked = job;
    }
    if (this.#found !== undefined) this.#found.used = true;
    return this.#found;
  }

  #hotAt(entry: number): Hot {
    const number = this.#index.hotOf(entry);
    const hot = number === undefined ? undefined : this.#hot[number];
    if (hot !== undefined) return hot;
    const record = this.#index.recordOf(entry);
    return this.#heat({ entry, line: this.#read(record), record, used: false });
  }

  /** Keeps a job as an object, in place of one that was not used for a while. */
  #heat(hot: Hot): Hot {
    const number = this.#hot.length < hotJobs ? this.#hot.length : this.#cool();
    this.#hot[number] = hot;
    this.#index.setHot(hot.entry, number);
    return hot;
  }

  /** Lets a job go, and returns where it was. */
  #cool(): number {
    for (;;) {
      const number = this.#hand;
      this.#hand = (number + 1) % hotJobs;
      const hot = this.#hot[number];
      if (hot === undefined) throw new Error('bug: the store is closed');
      if (!hot.used) {
        this.#index.setRecord(hot.entry, hot.record ?? this.#log.add(JSON.stringify(hot.line)));
        return number;
      }
      hot.used = false;
    }
  }

  #read(record: RecordPlace): JobLine {
    return jobIn(this.#log.at(record), this.rows);
  }

  #lineAt(entry: number): JobLine {
    const number = this.#index.hotOf(entry);
    const hot = number === undefined ? undefined : this.#hot[number];
    return hot?.line ?? this.#read(this.#index.recordOf(entry));
  }

  #noteOrder(line: JobLine): void {
    this.#order = undefined;
    this.#inOrder &&= this.#last === undefined || comesBefore(this.#last, line);
    this.#last = line;
  }

  #sortedEntries(): Uint32Array {
    const entries = Uint32Array.from({ length: this.#index.size }, (_, entry) => entry);
    if (this.#inOrder) return entries;
    // Of most jobs, the first task tells their order.
    const tasks = Array.from(entries, (entry) => this.#lineAt(entry).tasks[0] ?? '');
    return entries.sort((one, other) => {
      const task = tasks[one] ?? '';
      const otherTask = tasks[other] ?? '';
      if (task !== otherTask) return task < otherTask ? -1 : 1;
      return comesBefore(this.#lineAt(one), this.#lineAt(other)) ? -1 : 1;
    });
  }
}

// Finds a job by its fingerprint: its record, or its place among those that are objects. Entries have the order in which jobs were
// first seen. Takes some forty bytes a job.

const minEntries = 1 << 10;
/** A chunk number and a place in the chunk share one number. */
const placesInChunk = 2 ** 28;

class RecordIndex {
  /** Numbers of entries, from 1, by mark; with open addressing. */
  #slots = new Uint32Array(2 * minEntries);
  #marks = new Float64Array(minEntries);
  /** Of the record; below 0 if the job is an object. */
  #places = new Float64Array(minEntries);
  #lengths = new Uint32Array(minEntries);
  #size = 0;

  /** How many jobs there are: their entries are numbered from 0. */
  get size(): number {
    return this.#size;
  }

  /** The entry of a job. `is` tells whether an entry with its mark is the job's. */
  find(job: string, is: (entry: number) => boolean): number | undefined {
    const mark = markOf(job);
    for (let slot = this.#first(mark); ; slot = this.#next(slot)) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0) return undefined;
      if (this.#marks[number - 1] === mark && is(number - 1)) return number - 1;
    }
  }

  /** The new entry of a job, which has no place yet. */
  add(job: string): number {
    if (this.#size === this.#marks.length) this.#grow();
    const entry = this.#size;
    this.#size += 1;
    this.#marks[entry] = markOf(job);
    this.#enter(entry);
    return entry;
  }

  setRecord(entry: number, { chunk, from, length }: RecordPlace): void {
    this.#places[entry] = chunk * placesInChunk + from;
    this.#lengths[entry] = length;
  }

  setHot(entry: number, number: number): void {
    this.#places[entry] = -1 - number;
  }

  /** Undefined if the job is a record. */
  hotOf(entry: number): number | undefined {
    const place = this.#places[entry] ?? 0;
    return place < 0 ? -1 - place : undefined;
  }

  recordOf(entry: number): RecordPlace {
    const place = this.#places[entry] ?? 0;
    const chunk = Math.floor(place / placesInChunk);
    return { chunk, from: place - chunk * placesInChunk, length: this.#lengths[entry] ?? 0 };
  }

  #enter(entry: number): void {
    let slot = this.#first(this.#marks[entry] ?? 0);
    while (this.#slots[slot] !== 0) slot = this.#next(slot);
    this.#slots[slot] = entry + 1;
  }

  #grow(): void {
    const room = 2 * this.#marks.length;
    const [marks, places, lengths] = [this.#marks, this.#places, this.#lengths];
    this.#marks = new Float64Array(room);
    this.#places = new Float64Array(room);
    this.#lengths = new Uint32Array(room);
    this.#marks.set(marks);
    this.#places.set(places);
    this.#lengths.set(lengths);
    this.#slots = new Uint32Array(2 * room);
    for (let entry = 0; entry < this.#size; entry++) this.#enter(entry);
  }

  /** The number of slots is a power of two, so every digit of the mark must count. */
  #first(mark: number): number {
    const mixed = Math.imul(Math.floor(mark / 2 ** 20) ^ (mark % 2 ** 20), 0x9e_37_79_b1);
    return ((mixed >>> 15) ^ mixed) & (this.#slots.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}

// Records that are only ever added, in memory while they are few and in a temporary file beyond that. They need not be
// durable: every run writes them again from the state file.

/** In bytes. A record that is longer has a chunk of its own. */
const chunkBytes = 1 << 20;
/** How many chunks stay in memory: the records of some ten thousand items. */
const chunksInMemory = 32;
/** In bytes: what is read of the file at once, because the next record is often the next one in the file. */
const windowBytes = 1 << 16;

/** Where a record is. */
interface RecordPlace {
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

const noBytes = Buffer.alloc(0);

const { O_CREAT, O_EXCL, O_RDWR } = constants;

export class RecordLog {
  readonly #chunks: Chunk[] = [];
  readonly #inMemory: number;
  /** How much of the last chunk is used. */
  #used = 0;
  #written = 0;
  #file: number | undefined;
  /** What was read of the file last. */
  #window: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: noBytes };
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
    this.#window = { start: 0, bytes: noBytes };
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
    this.#window = { start: 0, bytes: noBytes };
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
