// The state file while a run lasts: lines are appended, synced in groups; at its end it is compacted.
import { constants, statSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Result } from '../../../contract/base/result.ts';
import { makeFolder } from '../../../contract/files/make-folder.ts';
import { isFull, isSystemTrouble } from '../../../contract/files/system-error.ts';
import { Ledger } from '../../journal/ledger.ts';
import type { Header } from '../../journal/line.ts';
import type { LineFile } from '../../run/journal-writer.ts';
import { openOwn } from '../files/new-file.ts';
import { compactState, replaceState } from './compaction.ts';
import type { Loaded } from './load-state.ts';

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
    makeFolder(dirname(this.#file));
    if (header === undefined) await this.#found();
    const handle = await openOwn(this.#file, constants.O_WRONLY | constants.O_APPEND);
    this.#handle = handle;
    if (header !== undefined && (await handle.stat()).size > wholeBytes)
      await handle.truncate(wholeBytes);
    if (unterminated) this.#write(handle, '\n');
    return handle;
  }

  /** A new file comes into being with its header: nobody ever sees it without. */
  async #found(): Promise<void> {
    const part = `${this.#file}.new`;
    const begin = (): Promise<void> => replaceState(this.#file, part, this.#header, new Ledger());
    try {
      await begin();
    } catch (error) {
      if (!isFull(error) || !this.#makeRoom()) throw error;
      await begin();
    }
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
}

/**
 * Opens the journal for a run. A file of an older format is compacted first: whatever happens next, its lines are in the
 * format that its header names. Throws what the system throws, before anything was spent.
 */
export async function openJournal(
  file: string,
  header: Header,
  loaded: Loaded,
  makeRoom: () => boolean = () => false,
): Promise<JournalFile> {
  if (!loaded.outdated) return new JournalFile(file, header, loaded, makeRoom);
  const { ledger } = loaded;
  await replaceState(file, `${file}.part`, header, ledger);
  ledger.restart();
  const current = { ...loaded, outdated: false, wholeBytes: statSync(file).size };
  return new JournalFile(file, header, { ...current, unterminated: false }, makeRoom);
}
