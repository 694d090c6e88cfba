// The state file on disk: read whole, appended to while a run lasts, compacted at its end.
import { constants, createReadStream, existsSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, truncate } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { err, ok, type Result } from '../base/result.ts';
import { type JobStore, Ledger } from '../journal/ledger.ts';
import { type Header, parseLine, type StateLine } from '../journal/line.ts';
import type { LineFile } from '../run/recorder.ts';
import { syncFolder } from './output-folders.ts';
import { systemReason } from './system-error.ts';

export interface Loaded {
  readonly ledger: Ledger;
  /** Undefined: there is no state file yet. */
  readonly header: Header | undefined;
  readonly warnings: readonly string[];
  /** The part of the file that is whole, in bytes; what follows is a torn last line. */
  readonly wholeBytes: number;
  /** The last line is whole but has no line feed yet. */
  readonly unterminated: boolean;
}

/** Reads a state file into a ledger. Errors name the file and the line, and leave the file as it is. */
export async function loadState(file: string, store: JobStore): Promise<Result<Loaded, string>> {
  const ledger = new Ledger(store);
  const none = { ledger, header: undefined, warnings: [], wholeBytes: 0, unterminated: false };
  if (!existsSync(file)) return ok(none);
  let header: Header | undefined;
  let number = 0;
  let bytes = 0;
  try {
    for await (const { text, terminated } of linesOf(file)) {
      number += 1;
      const line = parseLine(text);
      if (!terminated && !isJson(text))
        return ok({
          ledger,
          header,
          warnings: [
            `${file}:${number}: the last line was cut off in the middle of writing; it is dropped`,
          ],
          wholeBytes: bytes,
          unterminated: false,
        });
      const wrong = line.ok ? fold(line.value, number, ledger) : line.error;
      if (wrong !== undefined) return err(`${file}:${number}: ${wrong}`);
      if (line.ok && line.value.type === 'header') header = line.value.line;
      bytes += Buffer.byteLength(text) + 1;
      if (!terminated)
        return ok({ ledger, header, warnings: [], wholeBytes: bytes - 1, unterminated: true });
    }
  } catch (error) {
    return err(`${file} ${systemReason(error)}`);
  }
  return ok({ ledger, header, warnings: [], wholeBytes: bytes, unterminated: false });
}

function fold(line: StateLine, number: number, ledger: Ledger): string | undefined {
  if ((line.type === 'header') !== (number === 1))
    return number === 1 ? 'the first line is no header: this is no state file' : 'a second header';
  const folded = ledger.apply(line);
  return folded.ok ? undefined : folded.error;
}

/** A line that ends in the middle of writing is no JSON: its last brace is missing. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function* linesOf(file: string): AsyncGenerator<{ text: string; terminated: boolean }> {
  let rest = '';
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 18 });
  for await (const chunk of stream) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield { text, terminated: true };
  }
  if (rest !== '') yield { text: rest, terminated: false };
}

/** The open journal. Lines are handed to the system when they are synced, or when many wait. */
export class JournalFile implements LineFile {
  readonly #file: string;
  readonly #header: Header;
  #handle: FileHandle | undefined;
  #pending: string[] = [];
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #loaded: Loaded;

  constructor(file: string, header: Header, loaded: Loaded) {
    this.#file = file;
    this.#header = header;
    this.#loaded = loaded;
  }

  append(line: string): void {
    this.#pending.push(line);
  }

  /** Those that ask while a sync is under way share the next one. */
  sync(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#syncOnce();
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#syncOnce();
      return this.#running;
    });
    return this.#next;
  }

  async #syncOnce(): Promise<void> {
    const handle = this.#handle ?? (await this.#open());
    this.#write(handle);
    await handle.datasync();
    if (this.#next === undefined) this.#running = undefined;
  }

  /** A few lines are handed to the system faster at once than through the thread pool. */
  #write(handle: FileHandle): void {
    if (this.#pending.length === 0) return;
    const text = `${this.#pending.join('\n')}\n`;
    this.#pending = [];
    writeWhole(handle.fd, text);
  }

  /** Opens the file at the first line: a run in which nothing happens leaves no file and changes none. */
  async #open(): Promise<FileHandle> {
    if (this.#handle !== undefined) return this.#handle;
    const { header, wholeBytes, unterminated } = this.#loaded;
    await mkdir(dirname(this.#file), { recursive: true });
    if (existsSync(this.#file)) await truncate(this.#file, wholeBytes);
    const handle = await open(
      this.#file,
      constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY,
      0o644,
    );
    this.#handle = handle;
    if (unterminated) await handle.appendFile('\n');
    if (header === undefined) {
      await handle.appendFile(`${JSON.stringify(this.#header)}\n`);
      await handle.datasync();
      await syncFolder(dirname(this.#file));
    }
    return handle;
  }

  async close(): Promise<void> {
    await this.#running;
    if (this.#pending.length > 0) await this.sync();
    await this.#handle?.close();
    this.#handle = undefined;
  }

  /** Replaces the file by what its lines fold to: whole or not at all. */
  async compact(ledger: Ledger): Promise<void> {
    await this.close();
    const part = `${this.#file}.part`;
    await writeLedger(part, 'w', this.#header, ledger);
    await rename(part, this.#file);
    await syncFolder(dirname(this.#file));
  }

  get name(): string {
    return basename(this.#file);
  }
}

/** Writes a compacted state file and syncs it; with `wx` only where there is none. The folder is not synced. */
export async function writeLedger(
  file: string,
  flag: 'w' | 'wx',
  header: Header,
  ledger: Ledger,
): Promise<void> {
  await using handle = await open(file, flag, 0o644);
  let text = '';
  const put = async (line: object, flush: number): Promise<void> => {
    text += `${JSON.stringify(line)}\n`;
    if (text.length < flush) return;
    const ready = text;
    text = '';
    await handle.appendFile(ready);
  };
  const many = 1 << 18;
  await put(header, many);
  for (const run of ledger.runs()) await put(run, many);
  for (const job of ledger.jobs()) await put(sortedKeys(job), many);
  for (const task of ledger.tasks()) await put(task, many);
  if (text !== '') await handle.appendFile(text);
  await handle.sync();
}

/** One order of keys, whatever the order of the events was: the same state is the same bytes. */
const order = [
  'job',
  'kind',
  'state',
  'tasks',
  'attempt',
  'at',
  'name',
  'reserve',
  'project',
  'credits',
  'result',
  'error',
  'outputs',
];

function sortedKeys(line: object): object {
  return Object.fromEntries(
    Object.entries(line).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)),
  );
}

/** Writes all of a text at the end of an open file. */
function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; )
    written += writeSync(descriptor, bytes, written, bytes.length - written);
}
