// The state file during a run: lines are appended and synced in groups. At the end of the run, the file is compacted.
import { constants, lstatSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../base/folder.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isFull, isSystemProblem } from '../base/system-error.ts';
import { openOwn } from '../files/new-file.ts';
import { syncFolder } from '../files/output-folders.ts';
import { Ledger } from '../model/ledger.ts';
import type { Header } from '../model/line.ts';
import { type LineFile, SharedSync } from '../run/journal-writer.ts';
import { compactedTexts, compactState, replaceState } from './compaction.ts';
import {
  assertRead,
  assertSame,
  type Content,
  isStill,
  StateFileChanged,
  sinceRead,
  sinceWritten,
} from './file-version.ts';
import type { Loaded } from './load-state.ts';
import { unsavedFile } from './unsaved-state.ts';

export interface JournalTerms {
  /** Called when the disk is full; true: another attempt may succeed. */
  readonly makeRoom?: () => boolean;
  /**
   * Called when another program has changed the state file although lines were written to it. From then on, the journal
   * is the unsaved file, which has all that the state file had and all lines of this run. Without this function, the
   * next sync fails.
   */
  readonly onMoved?: () => void;
}

/**
 * The open journal. Lines are written when they are synced. After a failed write or sync, nothing more is written: the
 * file ends there, perhaps with a torn line, and the system may have lost what it was given.
 */
export class JournalFile implements LineFile {
  readonly #file: string;
  readonly #header: Header;
  readonly #loaded: Loaded;
  readonly #terms: JournalTerms;
  /** The state file, or the unsaved file. */
  #path: string;
  #handle: FileHandle | undefined;
  /** The length of the open file. */
  #bytes = 0;
  #pending: string[] = [];
  readonly #shared = new SharedSync(() => this.#writeAll());
  #failure: { readonly error: unknown } | undefined;

  constructor(file: string, header: Header, loaded: Loaded, terms: JournalTerms = {}) {
    this.#file = file;
    this.#path = file;
    this.#header = header;
    this.#loaded = loaded;
    this.#terms = terms;
  }

  append(line: string): void {
    if (this.#failure === undefined) this.#pending.push(line);
  }

  sync(): Promise<void> {
    return this.#shared.sync();
  }

  /**
   * Looks at the file before the write, so that no line follows a text that nobody has read, and after the sync, because
   * a file that was replaced meanwhile has no name any more, and its lines are lost. No request is sent before that.
   */
  async #writeAll(): Promise<void> {
    try {
      this.#handle ??= await this.#open();
      if (!this.#isStill(this.#handle)) await this.#move();
      const lines = this.#pending.splice(0);
      if (lines.length > 0) this.#write(this.#handle, `${lines.join('\n')}\n`);
      await this.#handle.datasync();
      if (!this.#isStill(this.#handle)) await this.#move();
    } catch (error) {
      this.#failure = { error };
      this.#pending = [];
      await this.#letGo();
      throw error;
    }
  }

  #isStill(handle: FileHandle): boolean {
    return isStill(this.#path, handle, this.#bytes);
  }

  /**
   * Appends a text; after `makeRoom`, only the part that is not written yet. For a few lines, a synchronous write is
   * faster than the thread pool.
   */
  #write(handle: FileHandle, text: string): void {
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length; ) {
      try {
        const more = writeSync(handle.fd, bytes, written, bytes.length - written);
        written += more;
        this.#bytes += more;
      } catch (error) {
        if (!isFull(error) || !this.#makeRoom()) throw error;
      }
    }
  }

  #makeRoom(): boolean {
    return this.#terms.makeRoom?.() ?? false;
  }

  /**
   * Opens the file at the first line: a run in which nothing happens creates and changes no file. The file must have
   * exactly the bytes that were loaded. Only a change between this check and the write that follows is not noticed.
   */
  async #open(): Promise<FileHandle> {
    const { header, wholeBytes, unterminated, content } = this.#loaded;
    makeFolder(dirname(this.#file));
    const expected = content ?? (await this.#create());
    const handle = await openOwn(this.#file, constants.O_RDWR | constants.O_APPEND);
    try {
      await assertSame(this.#file, handle, expected);
      this.#bytes = header === undefined ? expected.bytes : wholeBytes;
      if (expected.bytes > this.#bytes) await handle.truncate(this.#bytes);
      if (unterminated) this.#write(handle, '\n');
    } catch (error) {
      await handle.close();
      throw error;
    }
    return handle;
  }

  async #create(): Promise<Content> {
    try {
      return await createStateFile(this.#file, this.#header);
    } catch (error) {
      if (!isFull(error) || !this.#makeRoom()) throw error;
      return await createStateFile(this.#file, this.#header);
    }
  }

  /**
   * Continues in the unsaved file, and leaves the other program's file as it is. The ledger has all lines, including those
   * that are pending, so the file begins with what they fold to.
   */
  async #move(): Promise<void> {
    const { onMoved } = this.#terms;
    const { ledger } = this.#loaded;
    if (onMoved === undefined || this.#path !== this.#file)
      throw new StateFileChanged(this.#path, sinceWritten);
    onMoved();
    const path = unsavedFile(this.#file);
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL;
    const handle = await openOwn(path, flags);
    await this.#letGo();
    [this.#path, this.#handle, this.#bytes] = [path, handle, 0];
    // From here to the restart, nothing may happen to the ledger, so nothing waits.
    for (const text of compactedTexts(this.#header, ledger)) this.#write(handle, text);
    this.#pending = [];
    ledger.restart();
    await handle.sync();
    await syncFolder(dirname(path));
  }

  /** Writes the pending lines. After a failure, which `sync` has reported, it does nothing. */
  async flush(): Promise<void> {
    for (;;) {
      const { running } = this.#shared;
      if (this.#failure !== undefined || running === undefined) break;
      await running;
    }
    if (this.#pending.length > 0) await this.sync();
  }

  /** Writes the pending lines and closes the file. */
  async close(): Promise<void> {
    await this.flush();
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
   * Writes the pending lines, and replaces the file by what its lines fold to. If this fails, the file stays as it is, and
   * is intact. Returns what the state file has now; undefined if another program changed it, so that the unsaved file was
   * written.
   */
  async compact(ledger: Ledger): Promise<Result<Content | undefined, string>> {
    await this.flush();
    const wrote = this.#handle !== undefined;
    try {
      const path = this.#path;
      const written = await compactState(path, this.#header, ledger, () => this.#release());
      return written.ok && path !== this.#file ? ok(undefined) : written;
    } catch (error) {
      if (!(error instanceof StateFileChanged)) throw error;
      if (!wrote) return err(error.message);
      await this.#move();
      return ok(undefined);
    } finally {
      await this.#letGo();
    }
  }

  /** Closes the file for compaction, if another program has not changed it. */
  async #release(): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined) return await assertRead(this.#file, this.#loaded.content);
    if (!this.#isStill(handle)) throw new StateFileChanged(this.#path, sinceWritten);
    // Windows does not replace an open file.
    await this.#letGo();
  }
}

// Creates a state file together with its header: nobody ever sees the file without one.

/**
 * Returns the content of the new file. Throws `StateFileChanged` if another program created the file meanwhile, and system
 * errors.
 */
async function createStateFile(file: string, header: Header): Promise<Content> {
  return await replaceState(file, `${file}.new`, header, new Ledger(), async () => {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
      throw new StateFileChanged(file, sinceRead);
  });
}
