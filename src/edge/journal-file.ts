// The state file on disk: read whole, appended to while a run lasts, compacted at its end.
import { constants, createReadStream, existsSync, statSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, truncate } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { err, ok, type Result } from '../base/result.ts';
import { readerFor } from '../journal/format.ts';
import { type JobStore, Ledger } from '../journal/ledger.ts';
import { type Header, parseLine, type StateLine } from '../journal/line.ts';
import type { LineFile } from '../run/recorder.ts';
import { compactState } from './compaction.ts';
import { syncFolder } from './output-folders.ts';
import { isFull, isSystemTrouble, systemReason } from './system-error.ts';

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
  let read = parseLine;
  try {
    for await (const { text, terminated } of linesOf(file)) {
      number += 1;
      if (number === 1) {
        const reader = readerFor(text);
        if (!reader.ok) return err(`${file}:1: ${reader.error}`);
        read = reader.value;
      }
      const line = read(text);
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

/**
 * The open journal. Lines are handed to the system when they are synced. After a write or a sync that failed nothing is
 * written any more: the file ends there, perhaps with a torn line, and the system may have forgotten what it was given.
 */
export class JournalFile implements LineFile {
  readonly #file: string;
  readonly #header: Header;
  readonly #loaded: Loaded;
  readonly #makeRoom: () => boolean;
  #handle: FileHandle | undefined;
  #pending: string[] = [];
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `makeRoom` is asked when the disk is full; true: it is worth another try. */
  constructor(file: string, header: Header, loaded: Loaded, makeRoom: () => boolean = () => false) {
    this.#file = file;
    this.#header = header;
    this.#loaded = loaded;
    this.#makeRoom = makeRoom;
  }

  append(line: string): void {
    if (this.#failure === undefined) this.#pending.push(line);
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

  /** A failure is for ever: `#running` stays what it is, and every later sync ends like this one. */
  async #syncOnce(): Promise<void> {
    try {
      const handle = this.#handle ?? (await this.#open());
      const lines = this.#pending.splice(0);
      if (lines.length > 0) this.#write(handle, `${lines.join('\n')}\n`);
      await handle.datasync();
    } catch (error) {
      this.#failure = { error };
      this.#pending = [];
      await this.#letGo();
      throw error;
    }
    if (this.#next === undefined) this.#running = undefined;
  }

  /**
   * Writes all of a text at the end; where room was made, only what is missing of it. A few lines are handed to the
   * system faster at once than through the thread pool.
   */
  #write(handle: FileHandle, text: string): void {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) {
      try {
        written += writeSync(handle.fd, bytes, written, bytes.length - written);
      } catch (error) {
        if (!isFull(error) || !this.#makeRoom()) throw error;
      }
    }
  }

  /** Opens the file at the first line: a run in which nothing happens leaves no file and changes none. */
  async #open(): Promise<FileHandle> {
    const { header, wholeBytes, unterminated } = this.#loaded;
    await mkdir(dirname(this.#file), { recursive: true });
    const standing = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (standing > wholeBytes) await truncate(this.#file, wholeBytes);
    const handle = await open(
      this.#file,
      constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY,
      0o644,
    );
    this.#handle = handle;
    if (unterminated) this.#write(handle, '\n');
    if (header === undefined) {
      this.#write(handle, `${JSON.stringify(this.#header)}\n`);
      await handle.datasync();
      await syncFolder(dirname(this.#file));
    }
    return handle;
  }

  /** Writes what waits. After a failure, which `sync` has told, it only lets go of the file. */
  async close(): Promise<void> {
    while (this.#failure === undefined && this.#running !== undefined) await this.#running;
    if (this.#pending.length > 0) await this.sync();
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    try {
      await handle?.close();
    } catch (error) {
      // All that counts was synced before; what was not has failed already.
      if (!isSystemTrouble(error)) throw error;
    }
  }

  /** Closes the file and replaces it by what its lines fold to; a failure leaves it as it is, and whole. */
  async compact(ledger: Ledger): Promise<Result<void, string>> {
    await this.close();
    return await compactState(this.#file, this.#header, ledger);
  }

  get name(): string {
    return basename(this.#file);
  }
}
