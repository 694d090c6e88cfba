// One run at a time for one state file: an exclusive transaction of SQLite on an empty file, which the kernel ends with the
// process, however that ends. Nothing else in shotlist may open this file: when a process closes any descriptor of a file,
// POSIX ends all locks that the process has on it.
import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../base/folder.ts';
import { removeLeftover } from '../base/leftover.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import type { Clock } from '../core/ports.ts';
import { problem, Refusal } from '../language/load/refusal.ts';

/** Whoever looks whether a lock is held has a lock of its own for some microseconds. */
const patienceMs = 300;
const pauseMs = 10;

export class Lock {
  readonly #file: string;
  readonly #identity: string;
  readonly #database: DatabaseSync;

  private constructor(file: string, identity: string, database: DatabaseSync) {
    this.#file = file;
    this.#identity = identity;
    this.#database = database;
  }

  /** Undefined: it is held, perhaps by this process. Throws a `Refusal` if nothing can be locked here. */
  static async take(
    file: string,
    clock: Pick<Clock, 'elapsed' | 'sleep'>,
  ): Promise<Lock | undefined> {
    const began = clock.elapsed();
    for (;;) {
      const lock = Lock.#try(file);
      if (lock !== undefined || clock.elapsed() - began >= patienceMs) return lock;
      await clock.sleep(pauseMs);
    }
  }

  /** Throws a `Refusal` if the drive has no locks (ENOLCK): SQLite says then of every file that it is locked. */
  static async assertPossible(file: string): Promise<void> {
    const probe = `${file}.probe-${randomUUID()}`;
    const lock = Lock.#try(probe);
    if (lock !== undefined) return await lock.release();
    await Promise.all([probe, file].map(removeLeftover));
    throw withoutLocks(file, 'database is locked');
  }

  static #try(file: string): Lock | undefined {
    let database: DatabaseSync | undefined;
    let lock: Lock | undefined;
    try {
      makeFolder(dirname(file));
      assertOwn(file);
      // SQLite makes the file: a descriptor of ours, when it is closed, would end the lock of another thread.
      if (identityOf(file) === undefined) new DatabaseSync(file).close();
      const identity = identityOf(file);
      database = new DatabaseSync(file, { timeout: 0 });
      // The write tells: on a file that may only be read, SQLite begins as well, and locks nothing.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1');
      // Another one, if the file was removed meanwhile, by the process that held the lock until now.
      if (identity !== undefined && identityOf(file) === identity)
        lock = new Lock(file, identity, database);
      return lock;
    } catch (error) {
      const reason = reasonOf(file, error);
      if (reason === undefined) throw error;
      if (isBusy(error)) return undefined;
      if (error instanceof Error && isUnlockable(error)) throw withoutLocks(file, error.message);
      throw new Refusal(problem(`the lock ${file} ${reason}`, 'shotlist', cureOf(file)));
    } finally {
      if (lock === undefined) database?.close();
    }
  }

  /** False if the file was removed or replaced, for example by `git clean`: another process may have a lock there. */
  get isStill(): boolean {
    try {
      return identityOf(this.#file) === this.#identity;
    } catch (error) {
      if (isSystemProblem(error)) return false;
      throw error;
    }
  }

  /** Ends the lock, but leaves the file, for a process of another host that the drive does not tell of. */
  leave(): void {
    this.#database.close();
  }

  async release(): Promise<void> {
    if (this.isStill) await removeLeftover(this.#file);
    this.#database.close();
  }
}

/** Asks without a trace, and waits for nobody. */
export function isHeld(file: string): boolean {
  // Of a file with content, which is no lock, SQLite would look at the files beside it.
  if (isEmptyFile(file) !== true) return false;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return isBusy(error);
  } finally {
    database?.close();
  }
}

/** Undefined if there is nothing. Follows no link. */
function identityOf(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? undefined : `${stats.dev} ${stats.ino}`;
}

/** Nobody commits anything to a lock of ours: it stays empty, and alone. */
function assertOwn(file: string): void {
  const isAlone = ['-journal', '-wal', '-shm'].every((end) => identityOf(file + end) === undefined);
  if (isAlone && isEmptyFile(file) !== false) return;
  const message = `${file}, or a file of SQLite beside it, is no lock that shotlist has made`;
  throw new Refusal(problem(message, 'shotlist', 'nothing was sent; remove it, then run again'));
}

/** Undefined if there is nothing. */
function isEmptyFile(file: string): boolean | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats === undefined ? undefined : stats.isFile() && stats.size === 0;
}

/** SQLite does not say why it cannot open or write a file. Undefined: it is not the fault of the file. */
function reasonOf(file: string, error: unknown): string | undefined {
  if (errorCode(error) === undefined)
    return isSystemProblem(error) ? systemReason(error) : undefined;
  try {
    accessSync(identityOf(file) === undefined ? dirname(file) : file, constants.W_OK);
    const isReadOnly = ((errorCode(error) ?? 0) & 0xff) === 8;
    return isReadOnly
      ? 'cannot be opened to write: the disk is full, or fails'
      : systemReason(error);
  } catch (cause) {
    return systemReason(cause);
  }
}

const cureOf = (file: string): string =>
  existsSync(file)
    ? 'nothing was sent; fix this and run again, or remove the file when no run is active'
    : `nothing was sent; the lock is made in ${dirname(file)}: make sure that you can write there`;

const errorCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined;

/** SQLITE_PERM, and the SQLITE_IOERR of locks. */
const isUnlockable = (error: unknown): boolean =>
  [3, 2058, 2314, 3594, 3850].includes(errorCode(error) ?? 0);

const withoutLocks = (file: string, why: string): Refusal =>
  new Refusal(
    problem(
      `the drive of ${file} gives no locks (${why}), so a second run could not be kept away`,
      'shotlist',
      'nothing was sent; mount the drive with locks, or name a state file on another drive with --state: its lock is beside it',
    ),
  );

/** SQLITE_BUSY, whatever else an extended code says. */
const isBusy = (error: unknown): boolean => ((errorCode(error) ?? 0) & 0xff) === 5;
