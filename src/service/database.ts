// The service's database: its tables, and the one way to write to them.
//
// Every write is a function that runs inside a transaction. Writes that are asked for in the same turn of the
// event loop share one transaction, and so one sync of the disk: that is what makes thousands of creations a
// second possible while an answered request is always durable. Each has its own savepoint: one that throws
// is undone alone.
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';

export type Row = Readonly<Record<string, SQLOutputValue>>;

export interface Database {
  prepare(sql: string): StatementSync;
  /** Runs `work` in a transaction; resolves with its result once that is durable. */
  write<T>(work: () => T): Promise<T>;
  /** Writes what still waits, and closes. */
  close(): void;
}

const tables = `
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS accounts (
  id TEXT PRIMARY KEY, email TEXT NOT NULL, tier TEXT NOT NULL,
  credits INTEGER NOT NULL CHECK (credits >= 0)
) STRICT;
CREATE TABLE IF NOT EXISTS keys (
  hash TEXT PRIMARY KEY, name TEXT NOT NULL, last4 TEXT NOT NULL,
  created_at INTEGER NOT NULL, revoked_at INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS ledger (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
  project TEXT, tool TEXT, name TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('charge', 'refund', 'adjustment')), credits INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS one_charge ON ledger (project) WHERE kind = 'charge';
CREATE UNIQUE INDEX IF NOT EXISTS one_refund ON ledger (project) WHERE kind = 'refund';
CREATE TRIGGER IF NOT EXISTS ledger_keeps BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER IF NOT EXISTS ledger_never_forgets BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TABLE IF NOT EXISTS projects (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  tool TEXT NOT NULL, record TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1, swept INTEGER NOT NULL DEFAULT 0, credits INTEGER NOT NULL, estimated INTEGER NOT NULL,
  body TEXT NOT NULL, inputs TEXT NOT NULL, files TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL, started_at INTEGER, completed_at INTEGER, failed_at INTEGER,
  width INTEGER, height INTEGER, fps REAL, error_code TEXT, error_message TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS unfinished_projects ON projects (seq)
  WHERE enabled = 1 AND status IN ('queued', 'rendering');
CREATE INDEX IF NOT EXISTS unswept_projects ON projects (seq) WHERE enabled = 0 AND swept = 0;
CREATE TABLE IF NOT EXISTS assets (
  path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, uploaded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS assets_by_age ON assets (uploaded_at);
CREATE TABLE IF NOT EXISTS detections (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
  input TEXT NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS unfinished_detections ON detections (seq)
  WHERE status IN ('queued', 'rendering');
CREATE TABLE IF NOT EXISTS faces (
  path TEXT PRIMARY KEY, detection TEXT NOT NULL, image TEXT NOT NULL,
  x REAL NOT NULL, y REAL NOT NULL, width REAL NOT NULL, height REAL NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS faces_by_detection ON faces (detection);
CREATE INDEX IF NOT EXISTS faces_by_image ON faces (image);
`;

/** Opens the database file, or one in memory when there is none. Throws when another service has it open. */
export function openDatabase(file: string | undefined): Database {
  const sqlite = new DatabaseSync(file ?? ':memory:');
  try {
    // An exclusive lock: two services on one data folder would render everything twice.
    sqlite.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;');
    sqlite.exec('PRAGMA synchronous = FULL;');
    sqlite.exec(tables);
  } catch (error) {
    sqlite.close();
    throw error;
  }
  const begin = sqlite.prepare('BEGIN IMMEDIATE');
  const commit = sqlite.prepare('COMMIT');
  const save = sqlite.prepare('SAVEPOINT one');
  const release = sqlite.prepare('RELEASE one');
  const undo = sqlite.prepare('ROLLBACK TO one');

  /** Runs one write; what it returns tells the caller of the write, once the transaction is over. */
  type Waiting = { readonly run: () => () => void; readonly fail: (reason: unknown) => void };
  let waiting: Waiting[] = [];

  function flush(): void {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    try {
      begin.run();
      const answers = batch.map((one) => one.run());
      commit.run();
      for (const answer of answers) answer();
    } catch (reason) {
      if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
      for (const one of batch) one.fail(reason);
    }
  }

  return {
    prepare: (sql) => sqlite.prepare(sql),
    write: (work) =>
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
        waiting.push({ run, fail: reject });
        if (waiting.length === 1) setImmediate(flush);
      }),
    close: () => {
      flush();
      sqlite.close();
    },
  };
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

/** The only row of a question that always has an answer, such as a sum. */
export function onlyRow(statement: StatementSync): Row {
  const row = statement.get();
  if (row === undefined) throw new Error('bug: a question that always has an answer had none');
  return row;
}
