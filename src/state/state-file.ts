// The state file during a run: lines are appended and synced in groups; at the end, the file is written whole. What git or an
// editor changes meanwhile is joined in.
import { constants, fstatSync, lstatSync, renameSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../base/folder.ts';
import { removeLeftover } from '../base/leftover.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isFull, isSystemProblem, systemCode, systemReason } from '../base/system-error.ts';
import { createNew, openOwn } from '../files/new-file.ts';
import { syncFolder } from '../files/output-folders.ts';
import type { Ledger } from '../model/record/ledger.ts';
import { GroupSync } from './group-sync.ts';
import {
  type FileVersion,
  type LoadedRecord,
  loadRecord,
  type OtherRecord,
  wholeTexts,
} from './load-record.ts';
import type { RunFile } from './run-file.ts';

export interface StateFileTerms {
  /** Is the lock still ours? Otherwise another run may have begun. */
  readonly holdsLock: () => boolean;
  /** HEAD's version, joined in again when the file was changed: git changes both. */
  readonly head: () => Promise<OtherRecord | undefined>;
  /** A program that changes the file may need so long to write it. */
  readonly pause: (ms: number) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called when the disk is full; true: another attempt may succeed. */
  readonly makeRoom: () => boolean;
  /** Called when the file was replaced by something that is no record, which may have hidden payments. */
  readonly closeBuying: (why: string) => void;
  /** Called when another program has changed the file, or HEAD: the ledger may have learnt from it. */
  readonly onNews?: (() => void) | undefined;
}

/** Why nothing more is written. The message is a sentence. */
export class RecordLost extends Error {
  readonly code = 'RECORD_LOST';
}

const tries = 3;
const pauseMs = 30;
/** Another program that changes the file so often during one commit does not end. */
const mostRounds = 10;

/**
 * Whoever appends a line has put it into the ledger before. After a failed write or sync, nothing more is written: the file
 * ends there, perhaps with a torn line, and the system may have lost what it was given.
 */
export class StateFile implements RunFile {
  readonly #file: string;
  readonly #ledger: Ledger;
  readonly #terms: StateFileTerms;
  /** The file as our last write left it, or as it was loaded; undefined: there was none. */
  #version: FileVersion | undefined;
  /** The file has nothing that the ledger does not have, and can be appended to. */
  #isClean: boolean;
  #isWritten = false;
  /** False where the file system changes times late. */
  #trustsTimes = true;
  #handle: FileHandle | undefined;
  #pending: string[] = [];
  readonly #groups = new GroupSync(() => this.#guarded(() => this.#write()));
  #failure: { readonly error: unknown } | undefined;

  /** Before the first line, the ledger has its header. */
  constructor(file: string, loaded: LoadedRecord, terms: StateFileTerms) {
    this.#file = file;
    this.#ledger = loaded.ledger;
    this.#version = loaded.version;
    this.#isClean = loaded.isClean;
    this.#terms = terms;
  }

  append(line: string): void {
    if (this.#failure === undefined) this.#pending.push(line);
  }

  /** Resolves when all lines that were appended are on disk, and the file and the lock are still ours. */
  sync(): Promise<void> {
    return this.#groups.sync();
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    try {
      await work();
    } catch (error) {
      this.#failure = { error };
      this.#pending = [];
      await this.#release();
      throw error;
    }
  }

  /**
   * Looks at the file before the write, so that no line follows a text that nobody has read, and after the sync, because
   * a file that was replaced meanwhile has no name any more, and its lines are lost. No request is sent before that.
   */
  async #write(): Promise<void> {
    if (this.#pending.length === 0 && !this.#isWritten) return;
    this.#assertLocked();
    if (!this.#isStill() || !(await this.#isOpen())) await this.#rejoin();
    const lines = this.#pending.splice(0);
    if (lines.length > 0 && this.#handle !== undefined && this.#version !== undefined) {
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      const { ino, size } = this.#version;
      this.#writeBytes(this.#handle, bytes);
      const { mtimeNs } = fstatSync(this.#handle.fd, { bigint: true });
      // The size is reckoned, so that the lines of another writer are noticed.
      this.#version = { ino, size: size + BigInt(bytes.length), mtimeNs };
      this.#isWritten = true;
      await this.#handle.datasync();
    }
    if (!this.#isStill()) await this.#rejoin();
  }

  /** After `makeRoom`, only the part that is not written yet. For a few lines, this is faster than the thread pool. */
  #writeBytes({ fd }: FileHandle, bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) {
      try {
        written += writeSync(fd, bytes, written, bytes.length - written);
      } catch (error) {
        if (!isFull(error) || !this.#terms.makeRoom()) throw error;
      }
    }
  }

  #assertLocked(): void {
    if (this.#terms.holdsLock()) return;
    throw new RecordLost(`the lock of ${this.#file} was removed or replaced by another program`);
  }

  #isStill(): boolean {
    return isSame(this.#version, versionOf(this.#file), this.#trustsTimes);
  }

  /** The file can be appended to now. False if another program has just changed it. */
  async #isOpen(): Promise<boolean> {
    if (this.#handle !== undefined) return true;
    if (this.#version === undefined) makeFolder(dirname(this.#file));
    return this.#isClean && this.#version !== undefined
      ? await this.#open(this.#version)
      : await this.#replace(this.#version);
  }

  async #open(version: FileVersion): Promise<boolean> {
    try {
      this.#handle = await openOwn(this.#file, constants.O_WRONLY | constants.O_APPEND);
    } catch (error) {
      // Removed, or replaced by a link.
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ELOOP') return false;
      throw error;
    }
    return isSame(version, await this.#handle.stat({ bigint: true }), this.#trustsTimes);
  }

  /** Git, an editor or a program that synchronizes folders has changed the file: what it knows is joined in. */
  async #rejoin(): Promise<void> {
    await this.#release();
    let tried = 0;
    for (let round = 0; round < mostRounds; round++) {
      const head = await this.#terms.head();
      const others = head === undefined ? [] : [head];
      const before = this.#version;
      const loaded = await loadRecord(this.#file, { into: this.#ledger, others });
      tried += 1;
      if ((!loaded.ok || loaded.value.warnings.length > 0) && tried < tries) {
        // Perhaps it is still being written.
        await this.#terms.pause(pauseMs);
        continue;
      }
      if (!loaded.ok) this.#putAside(loaded.error);
      const found = loaded.ok ? loaded.value.version : undefined;
      // A time that changed for no reason: this file system is late with it.
      const isUnchanged = before !== undefined && isSame(before, found, false);
      if (loaded.ok && !loaded.value.isNews && isUnchanged) this.#trustsTimes = false;
      this.#terms.onNews?.();
      if (await this.#replace(found)) return;
      tried = 0;
    }
    throw new RecordLost(`${this.#file} is changed again and again by another program`);
  }

  /** What is no record is kept beside the record. */
  #putAside(why: string): void {
    const time = new Date(this.#terms.now()).toISOString().replaceAll(':', '-');
    let aside = `${this.#file}.conflict-${time}`;
    while (versionOf(aside) !== undefined) aside += '+';
    try {
      renameSync(this.#file, aside);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
    this.#terms.closeBuying(
      `another program replaced ${this.#file} by something that is no record (${why}), which is now ${aside}`,
    );
  }

  /**
   * Replaces the file, whose version is `found`, by all that the ledger knows, and opens it. False if another program has
   * changed the file meanwhile.
   */
  async #replace(found: FileVersion | undefined): Promise<boolean> {
    if (this.#ledger.header === undefined) throw new Error('bug: the record has no header');
    // Windows does not replace an open file.
    await this.#release();
    const part = `${this.#file}.part`;
    try {
      const { written, covered } = await this.#writePart(part);
      this.#assertLocked();
      if (!isSame(found, versionOf(this.#file), this.#trustsTimes)) {
        await removeLeftover(part);
        return false;
      }
      renameSync(part, this.#file);
      this.#pending.splice(0, covered);
      [this.#version, this.#isClean, this.#isWritten] = [written, true, true];
    } catch (error) {
      await removeLeftover(part);
      throw error;
    }
    await syncFolder(dirname(this.#file));
    return await this.#open(this.#version);
  }

  /** `covered`: how many pending lines it has, because the ledger has them. Those that are appended from then on follow. */
  async #writePart(part: string): Promise<{ written: FileVersion; covered: number }> {
    await using handle = await this.#create(part);
    const covered = this.#pending.length;
    for (const piece of wholeTexts(this.#ledger)) this.#writeBytes(handle, piece);
    await handle.sync();
    return { written: await handle.stat({ bigint: true }), covered };
  }

  async #create(part: string): Promise<FileHandle> {
    try {
      return await createNew(part);
    } catch (error) {
      if (!isFull(error) || !this.#terms.makeRoom()) throw error;
      return await createNew(part);
    }
  }

  /**
   * Writes the pending lines, then the whole record, sorted. Nothing if nothing happened and the file is as it should be. The
   * error is a sentence that says why the file is not written whole: it says the same in more lines.
   */
  async writeWhole(): Promise<Result<void, string>> {
    await this.flush();
    const isNothing = this.#isClean || this.#ledger.isEmpty;
    if (!this.#isWritten && isNothing) return ok(undefined);
    try {
      await this.#guarded(async () => {
        this.#assertLocked();
        if (!this.#isStill() || !(await this.#replace(this.#version))) await this.#rejoin();
      });
      return ok(undefined);
    } catch (error) {
      if (!isSystemProblem(error)) throw error;
      return err(`${this.#file}.part ${systemReason(error)}`);
    } finally {
      await this.#release();
    }
  }

  /** Resolves when all lines that were appended are on disk. After a failure, which `sync` has reported, it does nothing. */
  async flush(): Promise<void> {
    if (this.#failure !== undefined) return;
    while (this.#pending.length > 0 || this.#groups.isWaiting) await this.sync();
    await this.#groups.running;
  }

  /** Writes the pending lines, and lets go of the file. */
  async close(): Promise<void> {
    await this.flush();
    await this.#release();
  }

  /** Closes the file as it is: what was committed is in it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#release();
  }

  async #release(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    try {
      await handle?.close();
    } catch (error) {
      // Everything important was synced before, or its failure was reported.
      if (!isSystemProblem(error)) throw error;
    }
  }
}

function versionOf(file: string): FileVersion | undefined {
  return lstatSync(file, { bigint: true, throwIfNoEntry: false });
}

function isSame(
  a: FileVersion | undefined,
  b: FileVersion | undefined,
  withTimes: boolean,
): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.ino === b.ino && a.size === b.size && (!withTimes || a.mtimeNs === b.mtimeNs);
}
