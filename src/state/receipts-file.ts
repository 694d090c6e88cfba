// The file of the receipts, an SQLite database of the user's own: where it is, whether it may be used, and how it is opened
// and set aside. A file that somebody else could have written says nothing about payments.
import { closeSync, constants, lstatSync, openSync, renameSync, statfsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../base/folder.ts';
import { systemCode } from '../base/system-error.ts';
import { type Env, userFolder } from '../base/user-folder.ts';
import { ReceiptsProblem, receiptsProblem } from './receipts-problem.ts';

/**
 * Where the receipts of hosted runs are. `SHOTLIST_RECEIPTS` names another folder: absolute, or it is not used. Relative to
 * the working folder, a repository could bring receipts of its own.
 */
export function receiptsFile(env: Env): string {
  const given = env['SHOTLIST_RECEIPTS'];
  const folder = given !== undefined && isAbsolute(given) ? given : userFolder(env);
  return join(folder, 'receipts.db');
}

/** A warning about `SHOTLIST_RECEIPTS`, if it is set and not used. */
export function misplacedReceipts(env: Env): string | undefined {
  const given = env['SHOTLIST_RECEIPTS'] ?? '';
  return given === '' || isAbsolute(given)
    ? undefined
    : `SHOTLIST_RECEIPTS is not an absolute path (${given}), so your receipts are in ${receiptsFile(env)}`;
}

/** Says that a database is ours: "shot". */
const applicationId = 0x73686f74;
/** The format of the tables. */
const formatVersion = 2;

/**
 * A row by account, with rowid: lines of a kilobyte make a table without it several times slower. `payer` finds the rows of a
 * state file, and has numbers only: each claim adds to it. `alone`: the state file that wrote all that the row says, and `writer` its process; null: more than one did.
 */
const tables = `
CREATE TABLE receipt (
  job TEXT NOT NULL, service TEXT NOT NULL, owner TEXT NOT NULL, line TEXT NOT NULL, parties TEXT NOT NULL, busy TEXT,
  alone TEXT, writer TEXT, PRIMARY KEY (job, service, owner)
) STRICT;
CREATE TABLE state (id INTEGER PRIMARY KEY, path TEXT NOT NULL, service TEXT NOT NULL, UNIQUE (path, service)) STRICT;
CREATE TABLE payer (
  state INTEGER NOT NULL, receipt INTEGER NOT NULL, PRIMARY KEY (state, receipt)
) STRICT, WITHOUT ROWID;
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${formatVersion};
`;

/** Milliseconds that another process may hold the database before it counts as locked. */
const busyMs = 5_000;

export interface OpenedReceipts {
  readonly database: DatabaseSync;
  readonly inode: bigint;
  /** The file was there, and was empty. */
  readonly wasEmpty: boolean;
}

/**
 * `make`: a database is made if there is none. `look`: nothing is written. `fileSystemOf`: its number in statfs(2). Undefined
 * if there is none. Throws what `receiptsProblem` knows.
 */
export function openReceipts(
  file: string,
  to: 'look' | 'use' | 'make',
  fileSystemOf: (folder: string) => number = typeOf,
): OpenedReceipts | undefined {
  const found = lookAt(file);
  if (found === undefined && to !== 'make') return undefined;
  if (found === undefined) makeFolder(dirname(file), 0o700);
  if (networkTypes.has(fileSystemOf(dirname(file))))
    throw new ReceiptsProblem('network', 'are on a network drive, and are not used');
  if (found === undefined) makeFile(file);
  assertOwn(file);
  const inode = lstatSync(file, { bigint: true }).ino;
  try {
    const database = to === 'look' ? openedToLook(file) : opened(file);
    return database && { database, inode, wasEmpty: found?.size === 0n };
  } catch (error) {
    const { reason, message } = receiptsProblem(error);
    throw new ReceiptsProblem(reason, message, error, inode);
  }
}

/** The services at which a state file has paid for something. Empty, too, if the file cannot be read: who opens it says so. */
export function servicesOf(file: string, state: string): readonly string[] {
  try {
    const opened = openReceipts(file, 'look');
    if (opened === undefined) return [];
    using database = opened.database;
    const rows = database.prepare('SELECT service FROM state WHERE path = ?').all(state);
    return rows.map(({ service }) => String(service));
  } catch (error) {
    receiptsProblem(error);
    return [];
  }
}

/** True if the file is not the one that was opened: another process, or a person, has put it aside. */
export const isReplaced = (file: string, { inode }: OpenedReceipts): boolean =>
  lookAt(file)?.ino !== inode;

/** Its new name; undefined if another process has set it aside. `at`: epoch milliseconds. */
export function setAside(
  file: string,
  inode: bigint | undefined,
  why: 'damaged' | 'older',
  at: number,
): string | undefined {
  const stamp = new Date(at).toISOString().replace(/[:.]/g, '-');
  const aside = `${file}.${why}-${stamp}-${process.pid}`;
  const isIt = (): boolean => {
    const found = lookAt(file)?.ino;
    return found !== undefined && (inode === undefined || found === inode);
  };
  if (!isIt()) return undefined;
  // First what SQLite would take for the log of the next database.
  for (const end of ['-wal', '-shm', '-journal'])
    if (lookAt(`${file}${end}`) !== undefined) renameSync(`${file}${end}`, `${aside}${end}`);
  if (!isIt()) return undefined;
  renameSync(file, aside);
  return aside;
}

/** Undefined if there is nothing. Does not follow links. */
const lookAt = (file: string) => lstatSync(file, { bigint: true, throwIfNoEntry: false });

/** Never opens a file that is there: closing it would free the locks that SQLite has on it in this process. */
function makeFile(file: string): void {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_RDWR;
  try {
    closeSync(openSync(file, flags, 0o600));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** Nor may SQLite's files beside it be anybody else's. */
function assertOwn(file: string): void {
  const user = process.getuid?.();
  for (const end of ['', '-wal', '-shm', '-journal']) {
    const stats = lookAt(`${file}${end}`);
    if (stats === undefined) continue;
    if (!stats.isFile())
      throw new ReceiptsProblem('not-a-file', 'are not a file, and are not used');
    if (user === undefined) continue;
    if (stats.uid !== BigInt(user))
      throw new ReceiptsProblem('other-user', 'belong to another user, and are not used');
    if ((stats.mode & 0o022n) !== 0n) {
      const why = 'can be written by other users, and are not used: chmod 600';
      throw new ReceiptsProblem('open-to-others', why);
    }
  }
}

/** NFS, SMB, CIFS, AFS, 9P, Ceph: the write-ahead log needs memory that all processes share. */
const networkTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x01021997, 0x00c36400,
]);

const typeOf = (folder: string): number => statfsSync(folder).type;

function opened(file: string): DatabaseSync {
  // Of two processes that make the database, one is told at once that it is locked, however long it would wait.
  for (const until = performance.now() + busyMs; ; Atomics.wait(pause, 0, 0, pauseMs)) {
    const database = new DatabaseSync(file, { timeout: busyMs });
    try {
      if (isNew(database)) makeTables(database);
      // Asked first: setting it needs a lock.
      if (pragma(database, 'journal_mode') !== 'wal') database.exec('PRAGMA journal_mode = WAL');
      database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000');
      return database;
    } catch (error) {
      database.close();
      const { reason } = receiptsProblem(error);
      if (reason !== 'locked' || performance.now() > until) throw error;
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));
const pauseMs = 10;

/** Writes nothing. Undefined if there are no tables yet. */
function openedToLook(file: string): DatabaseSync | undefined {
  try {
    return withTables(new DatabaseSync(file, { readOnly: true, timeout: busyMs }));
  } catch (error) {
    const isLogged = (lookAt(`${file}-wal`)?.size ?? 0n) > 0n;
    if (receiptsProblem(error).reason !== 'unusable' || isLogged) throw error;
  }
  // Without a log of changes the file alone is complete. SQLite wants files beside it all the same, and may not make them.
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return withTables(new DatabaseSync(address, { readOnly: true }));
}

function withTables(database: DatabaseSync): DatabaseSync | undefined {
  try {
    if (!isNew(database)) return database;
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
}

const pragma = (database: DatabaseSync, name: string): unknown =>
  database.prepare(`PRAGMA ${name}`).get()?.[name];

/** False if it has our tables. Throws if it has others, or has lost ours. */
function isNew(database: DatabaseSync): boolean {
  // What another process is making is seen whole, or not at all.
  const isAlone = !database.isTransaction;
  if (isAlone) database.exec('BEGIN');
  const version = Number(pragma(database, 'user_version'));
  const application = Number(pragma(database, 'application_id'));
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (isAlone) database.exec('COMMIT');
  if (application === 0 && version === 0 && isEmpty) return true;
  if (application !== applicationId) {
    const why = 'are a database of another program, and are not used';
    throw new ReceiptsProblem('other-program', why);
  }
  if (version > formatVersion) {
    const why = 'were written by a newer version of shotlist, and are not used';
    throw new ReceiptsProblem('newer', why);
  }
  if (version > 0 && version < formatVersion)
    throw new ReceiptsProblem('older', 'are of an early version of shotlist');
  if (version === 0 || !hasTables(database))
    throw new ReceiptsProblem('damaged', 'have lost their tables');
  return false;
}

function hasTables(database: DatabaseSync): boolean {
  try {
    database.prepare(
      'SELECT job, owner, line, parties, busy, alone, writer, path, state, receipt FROM receipt JOIN state USING (service), payer',
    );
    return true;
  } catch (error) {
    // SQLITE_ERROR: a table or a column is not there.
    if (error instanceof Error && 'errcode' in error && error.errcode === 1) return false;
    throw error;
  }
}

function makeTables(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been faster.
    if (isNew(database)) database.exec(tables);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
