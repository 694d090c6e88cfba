// The state file during a run: lines are appended and synced in groups. At the end of the run, the file is compacted.
import { constants, statSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Result } from '../../../contract/base/result.ts';
import { makeFolder } from '../../../contract/files/make-folder.ts';
import { isFull, isSystemProblem } from '../../../contract/files/system-error.ts';
import { Ledger } from '../../journal/ledger.ts';
import type { Header } from '../../journal/line.ts';
import type { LineFile } from '../../run/journal-writer.ts';
import { openOwn } from '../files/new-file.ts';
import { compactState, replaceState } from './compaction.ts';
import type { Loaded } from './load-state.ts';

/**
 * The open journal. Lines are written when they are synced. After a failed write or sync, nothing more is written: the
 * file ends there, perhaps with a torn line, and the system may have lost what it was given.
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

  /** Calls `makeRoom` when the disk is full; true: another attempt may succeed. */
  constructor(file: string, header: Header, loaded: Loaded, makeRoom: () => boolean = () => false) {
    this.#file = file;
    this.#header = header;
    this.#loaded = loaded;
    this.#makeRoom = makeRoom;
  }

  append(line: string): void {
    if (this.#failure === undefined) this.#pending.push(line);
  }

  /** Calls that arrive during a sync share the next one. */
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

  /** A failure is permanent: `#running` keeps the rejection, so every later sync fails in the same way. */
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
   * Appends a text; after `makeRoom`, only the part that is not written yet. For a few lines, a synchronous write is
   * faster than the thread pool.
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

  /** Opens the file at the first line: a run in which nothing happens creates and changes no file. */
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

  /** A new file appears together with its header: nobody ever sees it without one. */
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

  /** Writes the pending lines. After a failure, which `sync` has reported, it only closes the file. */
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
      // Everything important was synced before, or its failure was reported.
      if (!isSystemProblem(error)) throw error;
    }
  }

  /**
   * Closes the file and replaces it by what its lines fold to. If this fails, the file stays as it is, and is intact.
   */
  async compact(ledger: Ledger): Promise<Result<void, string>> {
    await this.close();
    return await compactState(this.#file, this.#header, ledger);
  }
}

/**
 * Opens the journal for a run. A file in an older format is compacted first, so that its lines are always in the format
 * that its header names. Throws system errors, before any credit is spent.
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
