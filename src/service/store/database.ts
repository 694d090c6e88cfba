// The service's database, and the only way to write to it.
//
// Every write is a function that runs inside a transaction. Writes of the same turn of the event loop, and writes that
// arrive while the disk syncs, share a transaction and its sync (group commit): thousands of creations a second are
// possible, and an answered request is always durable. Each write has its own savepoint: if a write throws, only its own
// changes are rolled back.
//
// If SQLite synced in its COMMIT, it would block the event loop. So the service syncs the write-ahead log in the
// background: with `synchronous = NORMAL`, a transaction is durable when the log is synced after its COMMIT, and SQLite
// still syncs the log before each checkpoint. Committed data can be read before it is durable; whoever shows it to others
// waits for `durable`.
import { closeSync, fdatasync, openSync } from 'node:fs';
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';
import { promisify } from 'node:util';
import { tables, tablesVersion } from './tables.ts';

const syncData = promisify(fdatasync);

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** A query whose rows are read as values. */
interface Query<T> {
  /** Undefined: there is no row. */
  one(...parameters: SQLInputValue[]): T | undefined;
  all(...parameters: SQLInputValue[]): readonly T[];
}

export type Database = ReturnType<typeof openDatabase>;

/** Opens a database file, or a database in memory without one. Throws if another service has the file open. */
export function openDatabase(file: string | undefined) {
  const sqlite = new DatabaseSync(file ?? ':memory:');
  try {
    // Exclusive, since two services on one data folder would render every project twice.
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;');
    // The tables are durable before anything else is.
    sqlite.exec('PRAGMA synchronous = FULL;');
    createTables(sqlite);
    sqlite.exec('PRAGMA synchronous = NORMAL;');
  } catch (error) {
    sqlite.close();
    throw error;
  }
  const begin = sqlite.prepare('BEGIN IMMEDIATE');
  const commit = sqlite.prepare('COMMIT');
  const save = sqlite.prepare('SAVEPOINT one');
  const release = sqlite.prepare('RELEASE one');
  const undo = sqlite.prepare('ROLLBACK TO one');

  /** `run` runs one write, and returns a function that settles its promise once the transaction is durable. */
  type PendingWrite = { readonly run: () => () => void; readonly fail: (reason: unknown) => void };
  let pending: PendingWrite[] = [];
  const log = file === undefined ? undefined : openSync(`${file}-wal`, 'r+');
  /** The sync of the last transaction: while it is under way, and for ever if it has failed. */
  let unsynced: Promise<void> | undefined;
  let failure: { readonly reason: unknown } | undefined;

  function flush(): void {
    // What comes during a sync waits for its end, and shares the next one.
    if (pending.length === 0 || (unsynced !== undefined && failure === undefined)) return;
    const batch = pending;
    pending = [];
    const fail = (reason: unknown): void => {
      for (const one of batch) one.fail(reason);
    };
    // Nobody knows any more what is on disk.
    if (failure !== undefined) return fail(failure.reason);
    try {
      begin.run();
      const answers = batch.map((one) => one.run());
      commit.run();
      const settle = (): void => {
        for (const answer of answers) answer();
      };
      if (log === undefined) return settle();
      unsynced = syncData(log);
      unsynced.then(
        () => {
          unsynced = undefined;
          settle();
          setImmediate(flush);
        },
        (reason) => {
          failure = { reason };
          fail(reason);
          flush();
        },
      );
    } catch (reason) {
      if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
      fail(reason);
    }
  }

  return {
    prepare: (sql: string): StatementSync => sqlite.prepare(sql),
    query<T>(sql: string, read: (row: Row) => T): Query<T> {
      const statement = sqlite.prepare(sql);
      return {
        one: (...parameters) => {
          const row = statement.get(...parameters);
          return row === undefined ? undefined : read(row);
        },
        all: (...parameters) => statement.all(...parameters).map(read),
      };
    },
    /** Runs `work` in a transaction. Resolves with the result once the transaction is durable. */
    write: <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        const run = (): (() => void) => {
          save.run();
          try {
            const value = work();
            release.run();
            return () => resolve(value);
          } catch (reason) {
            undo.run();
            release.run();
            return () => reject(reason);
          }
        };
        pending.push({ run, fail: reject });
        if (pending.length === 1) setImmediate(flush);
      }),
    /** Resolves once everything that can be read now is durable; undefined: it is. Rejects for ever after a failed sync. */
    durable: (): Promise<void> | undefined => unsynced,
    /** Runs the pending writes, and closes the database when they are durable. */
    async close(): Promise<void> {
      try {
        do {
          flush();
          await unsynced;
        } while (pending.length > 0);
      } finally {
        sqlite.close();
        if (log !== undefined) closeSync(log);
      }
    },
  };
}

/** In a new database. Throws if another version of shotlist made the one that is there. */
function createTables(sqlite: DatabaseSync): void {
  const version = numberOf(onlyRow(sqlite.prepare('PRAGMA user_version')), 'user_version');
  if (version === tablesVersion) return;
  if (version !== 0) throw new Error('another version of shotlist made it');
  sqlite.exec(`BEGIN; ${tables} PRAGMA user_version = ${tablesVersion}; COMMIT;`);
}

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`bug: column ${column} holds no text`);
  return value;
}

export function maybeTextOf(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new Error(`bug: column ${column} holds no number`);
  return value;
}

export function maybeNumberOf(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : numberOf(row, column);
}

/** A text that is one of a few. */
export function choiceOf<T extends string>(
  row: Row,
  column: string,
  isChoice: (text: string) => text is T,
): T {
  const text = textOf(row, column);
  if (isChoice(text)) return text;
  throw new Error(`bug: column ${column} holds ${text}`);
}

/** A text that is made once for a data folder, and is the same at each start. */
export async function settingOf(database: Database, name: string, made: string): Promise<string> {
  await database.write(() =>
    database.prepare('INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)').run(name, made),
  );
  const row = onlyRow(database.prepare('SELECT value FROM settings WHERE name = ?'), name);
  return textOf(row, 'value');
}

/** The only row of a query that always has one, such as a sum. */
export function onlyRow(statement: StatementSync, ...parameters: SQLInputValue[]): Row {
  const row = statement.get(...parameters);
  if (row === undefined) throw new Error('bug: the query returned no row');
  return row;
}
