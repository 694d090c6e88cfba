// The receipts of a user: one row per creation, in an SQLite database in the user's state folder (or in the folder that
// SHOTLIST_RECEIPTS names). The database is a second record beside the state files, never the first: what goes wrong with it
// is reported, and stops nothing.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  renameSync,
  statfsSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { makeFolder } from '../../../contract/files/make-folder.ts';
import { isSystemProblem, systemReason } from '../../../contract/files/system-error.ts';
import { type JobLine, lineText, parseLine } from '../../journal/line.ts';
import {
  laterOf,
  type Receipt,
  type ReceiptSource,
  type SavedFile,
  withoutFiles,
} from '../../receipts/receipt.ts';
import { isSqlite } from '../files/cache-database.ts';

/** The format of the tables. A database of a newer version is not touched. */
const version = 1;

const tables = `
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS source (
  id INTEGER PRIMARY KEY, folder TEXT NOT NULL, pipeline TEXT NOT NULL, state TEXT NOT NULL, branch TEXT NOT NULL,
  UNIQUE (state, folder, pipeline, branch)
) STRICT;
CREATE TABLE IF NOT EXISTS creation (
  id INTEGER PRIMARY KEY, service TEXT NOT NULL, job TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL,
  at TEXT NOT NULL, first TEXT, source INTEGER NOT NULL REFERENCES source (id), account TEXT, holder TEXT,
  line TEXT NOT NULL, UNIQUE (service, job, name)
) STRICT;
CREATE INDEX IF NOT EXISTS creation_take ON creation (service, first) WHERE first IS NOT NULL;
CREATE INDEX IF NOT EXISTS creation_source ON creation (source);
CREATE TABLE IF NOT EXISTS saved (
  creation INTEGER NOT NULL REFERENCES creation (id) ON DELETE CASCADE, idx INTEGER NOT NULL, task TEXT NOT NULL,
  path TEXT NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, stored TEXT, UNIQUE (creation, idx, path)
) STRICT;
CREATE INDEX IF NOT EXISTS saved_path ON saved (path);
CREATE TABLE IF NOT EXISTS written (state TEXT PRIMARY KEY, digest TEXT NOT NULL, at TEXT NOT NULL) STRICT;
`;

const columns =
  'creation.id, service, account, holder, line, folder, pipeline, source.state AS file, branch';
const joined = `SELECT ${columns} FROM creation JOIN source ON source.id = creation.source`;

/** Milliseconds that another process may hold the database before it counts as locked. */
const busyMs = 1_000;
/** Milliseconds without another attempt after the database could not be used. */
const restMs = 15_000;

export interface ReceiptStoreOptions {
  readonly file: string;
  /** A sentence without its end, each at most once. */
  readonly onWarning: (message: string) => void;
  readonly now: () => number;
  /** Nothing is created or written. */
  readonly readOnly?: boolean;
}

export class ReceiptStore {
  readonly file: string;
  readonly #o: ReceiptStoreOptions;
  #database: DatabaseSync | undefined;
  readonly #statements = new Map<string, StatementSync>();
  readonly #sources = new Map<string, number>();
  readonly #told = new Set<string>();
  #restsUntil = 0;

  constructor(options: ReceiptStoreOptions) {
    this.#o = options;
    this.file = options.file;
  }

  /** Receipts of a request, the newest first; undefined if they cannot be read. */
  of(service: string, job: string): readonly Receipt[] | undefined {
    return this.#try('read', () =>
      this.#read(`${joined} WHERE service = ? AND job = ? ORDER BY creation.id DESC`, service, job),
    );
  }

  /** The later takes of a request, the first ones first; undefined if they cannot be read. */
  takesOf(service: string, first: string): readonly Receipt[] | undefined {
    return this.#try('read', () =>
      this.#read(`${joined} WHERE service = ? AND first = ? ORDER BY creation.id`, service, first),
    );
  }

  /** The folders in which a pipeline has run; undefined if they cannot be read. */
  foldersOf(pipeline: string): readonly string[] | undefined {
    return this.#try('read', () => {
      const sql = 'SELECT DISTINCT folder FROM source WHERE pipeline = ?';
      return this.#prepare(sql)
        .all(pipeline)
        .map((row) => textOf(row, 'folder'));
    });
  }

  /** What was saved at a path; undefined if it cannot be read. */
  savedAt(path: string): readonly SavedFile[] | undefined {
    return this.#try('read', () => {
      const sql = 'SELECT idx, task, path, bytes, sha256, stored FROM saved WHERE path = ?';
      return this.#prepare(sql).all(path).map(savedOf);
    });
  }

  /** All receipts, in the order in which the creations began. Throws if they cannot be read. */
  *all(): Generator<Receipt> {
    const database = this.#open();
    if (database === undefined) return;
    for (const row of this.#prepare(`${joined} ORDER BY creation.id`).iterate())
      yield this.#receiptOf(row);
  }

  /** The receipts that came from a state file at this place. Throws if they cannot be read. */
  *ofState(state: string): Generator<Receipt> {
    if (this.#open() === undefined) return;
    const sql = `${joined} WHERE creation.source IN (SELECT id FROM source WHERE state = ?) ORDER BY creation.id`;
    for (const row of this.#prepare(sql).iterate(state)) yield this.#receiptOf(row);
  }

  /**
   * Records that a creation begins, unless the store has a receipt that `isTaken` says stands against it; then returns that
   * one. Nobody else can begin the same creation meanwhile. Undefined if the store cannot be written.
   */
  claim(
    receipt: Receipt,
    taken: (others: readonly Receipt[]) => Receipt | undefined,
  ): 'ours' | Receipt | undefined {
    return this.#try('write', () =>
      this.#transaction(() => {
        const sql = `${joined} WHERE service = ? AND job = ? ORDER BY creation.id DESC`;
        const other = taken(this.#read(sql, receipt.service, receipt.line.job));
        if (other !== undefined) return other;
        this.#put(receipt);
        return 'ours' as const;
      }),
    );
  }

  /** True if all are in the store now. A receipt replaces an earlier one of the same creation. */
  put(receipts: readonly Receipt[]): boolean {
    if (receipts.length === 0) return true;
    const done = this.#try('write', () => {
      this.#transaction(() => {
        for (const receipt of receipts) this.#put(receipt);
      });
      return true;
    });
    return done === true;
  }

  /** Removes the receipts of creations that were last changed before a time (ISO 8601); returns how many. */
  forget(before: string): number | undefined {
    return this.#try('write', () => {
      const sql = 'DELETE FROM creation WHERE at < ?';
      return this.#transaction(() => Number(this.#prepare(sql).run(before).changes));
    });
  }

  /** What this machine wrote last as the content of a state file: its SHA-256, and when. */
  lastWritten(state: string): { readonly digest: string; readonly at: string } | undefined {
    return this.#try('read', () => {
      const row = this.#prepare('SELECT digest, at FROM written WHERE state = ?').get(state);
      return row === undefined
        ? undefined
        : { digest: textOf(row, 'digest'), at: textOf(row, 'at') };
    });
  }

  noteWritten(state: string, digest: string, at: string): void {
    this.#try('write', () => {
      const sql = 'INSERT OR REPLACE INTO written (state, digest, at) VALUES (?, ?, ?)';
      this.#prepare(sql).run(state, digest, at);
    });
  }

  /** Random, made once: hashes of accounts are salted with it. Undefined if the store cannot be used. */
  get salt(): string | undefined {
    return this.#try('read', () => {
      const row = this.#prepare("SELECT value FROM about WHERE name = 'salt'").get();
      return row === undefined ? undefined : textOf(row, 'value');
    });
  }

  close(): void {
    this.#letGo();
  }

  #put({ service, line, source, account, holder, saved }: Receipt): void {
    const known = this.#prepare(
      'SELECT id, line FROM creation WHERE service = ? AND job = ? AND name = ?',
    ).get(service, line.job, line.name ?? '');
    const id =
      known === undefined
        ? this.#insert({ service, line, source, account, holder, saved })
        : this.#update(known, { line, account, holder });
    for (const { index, task, path, bytes, sha256, stored } of saved)
      this.#prepare(
        'INSERT OR REPLACE INTO saved (creation, idx, task, path, bytes, sha256, stored) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ).run(id, index, task, path, bytes, sha256, stored ?? null);
  }

  #insert({ service, line, source, account, holder }: Receipt): number {
    const { lastInsertRowid } = this.#prepare(
      'INSERT INTO creation (service, job, name, state, at, first, source, account, holder, line) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(
      ...[service, line.job, line.name ?? '', line.state, line.at, line.take?.of ?? null],
      ...[this.#sourceId(source), account ?? null, holder ?? null, lineText(withoutFiles(line))],
    );
    return Number(lastInsertRowid);
  }

  #update(
    known: Row,
    { line, account, holder }: Pick<Receipt, 'line' | 'account' | 'holder'>,
  ): number {
    const id = Number(known['id']);
    const now = laterOf(jobLineOf(textOf(known, 'line')), withoutFiles(line));
    this.#prepare(
      'UPDATE creation SET state = ?, at = ?, holder = ?, account = coalesce(?, account), line = ? WHERE id = ?',
    ).run(now.state, now.at, holder ?? null, account ?? null, lineText(now), id);
    return id;
  }

  #sourceId({ folder, pipeline, state, branch = '' }: ReceiptSource): number {
    const key = JSON.stringify([state, folder, pipeline, branch]);
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    this.#prepare(
      'INSERT OR IGNORE INTO source (folder, pipeline, state, branch) VALUES (?, ?, ?, ?)',
    ).run(folder, pipeline, state, branch);
    const row = this.#prepare(
      'SELECT id FROM source WHERE state = ? AND folder = ? AND pipeline = ? AND branch = ?',
    ).get(state, folder, pipeline, branch);
    const id = Number(row?.['id']);
    this.#sources.set(key, id);
    return id;
  }

  #read(sql: string, ...values: readonly string[]): readonly Receipt[] {
    return this.#prepare(sql)
      .all(...values)
      .map((row) => this.#receiptOf(row));
  }

  #receiptOf(row: Row): Receipt {
    const [branch, account, holder] = [textOf(row, 'branch'), row['account'], row['holder']];
    const files = this.#prepare('SELECT * FROM saved WHERE creation = ? ORDER BY idx');
    return {
      service: textOf(row, 'service'),
      line: jobLineOf(textOf(row, 'line')),
      source: {
        folder: textOf(row, 'folder'),
        pipeline: textOf(row, 'pipeline'),
        state: textOf(row, 'file'),
        branch: branch === '' ? undefined : branch,
      },
      account: typeof account === 'string' ? account : undefined,
      holder: typeof holder === 'string' ? holder : undefined,
      saved: files.all(Number(row['id'])).map(savedOf),
    };
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const database = this.#open();
    if (database === undefined) throw new Error('bug: receipts that are not open');
    const statement = database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #transaction<T>(work: () => T): T {
    const database = this.#open();
    database?.exec('BEGIN IMMEDIATE');
    try {
      const value = work();
      database?.exec('COMMIT');
      return value;
    } catch (error) {
      // A new source is not in the table any more.
      this.#sources.clear();
      if (database?.isTransaction === true) database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Undefined if the database cannot be used; then a warning has said so. A damaged one is set aside, and a new one begun. */
  #try<T>(doing: 'read' | 'write', work: () => T): T | undefined {
    if (this.#o.now() < this.#restsUntil) return undefined;
    try {
      if (this.#open() === undefined) return undefined;
      return work();
    } catch (error) {
      if (!isSqlite(error) && !isSystemProblem(error)) throw error;
      this.#letGo();
      if (isDamage(error) && this.#setAside()) return this.#again(doing, work);
      this.#restsUntil = this.#o.now() + restMs;
      this.#tell(`your receipts (${this.file}) ${reasonOf(error)}: ${consequences[doing]}`);
      return undefined;
    }
  }

  #again<T>(doing: 'read' | 'write', work: () => T): T | undefined {
    try {
      return this.#open() === undefined ? undefined : work();
    } catch (error) {
      if (!isSqlite(error) && !isSystemProblem(error)) throw error;
      this.#letGo();
      this.#restsUntil = this.#o.now() + restMs;
      this.#tell(`your receipts (${this.file}) ${reasonOf(error)}: ${consequences[doing]}`);
      return undefined;
    }
  }

  #tell(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#o.onWarning(message);
  }

  /** Undefined if there is no database and none is to be made. Throws what the database throws. */
  #open(): DatabaseSync | undefined {
    if (this.#database !== undefined) return this.#database;
    const { readOnly = false } = this.#o;
    if (!existsSync(this.file)) {
      if (readOnly) return undefined;
      makeFolder(dirname(this.file), 0o700);
      closeSync(openSync(this.file, constants.O_CREAT | constants.O_RDWR | noFollow, 0o600));
    }
    assertOwn(this.file);
    const database = new DatabaseSync(this.file, { timeout: busyMs, readOnly });
    try {
      if (!readOnly) {
        const log = isOnNetwork(this.file) ? 'TRUNCATE' : 'WAL';
        database.exec(
          `PRAGMA journal_mode = ${log}; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;`,
        );
      }
      checkVersion(database, readOnly);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#database = database;
    return database;
  }

  #letGo(): void {
    this.#statements.clear();
    this.#sources.clear();
    this.#database?.close();
    this.#database = undefined;
  }

  /** False if the damaged database stays where it is. */
  #setAside(): boolean {
    if (this.#o.readOnly === true) return false;
    const stamp = new Date(this.#o.now()).toISOString().replace(/[:.]/g, '-');
    const aside = `${this.file}.damaged-${stamp}`;
    try {
      for (const end of ['', '-wal', '-shm'])
        if (existsSync(`${this.file}${end}`)) renameSync(`${this.file}${end}`, `${aside}${end}`);
    } catch (error) {
      if (!isSystemProblem(error)) throw error;
      return false;
    }
    this.#tell(
      `your receipts were damaged and are set aside (${aside}): what only they knew to be paid for is not known now; ` +
        'shotlist receipts --import brings back what can be read',
    );
    return true;
  }
}

const consequences = {
  read: 'what other pipelines, or a lost state file, have paid for is not known',
  write: 'what this command pays for is recorded in the state file only',
} as const;

const noFollow = constants.O_NOFOLLOW ?? 0;

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const isDamage = (error: unknown): boolean =>
  isSqlite(error) && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 0xff);

function reasonOf(error: unknown): string {
  if (error instanceof ReceiptsRefused) return error.message;
  if (isSystemProblem(error)) return systemReason(error);
  return `cannot be used (${error instanceof Error ? error.message : String(error)})`;
}

/** The database is not the user's own, or of another version. `message` is the end of a sentence about the file. */
class ReceiptsRefused extends Error {
  /** As SQLite's own errors have one. */
  readonly errcode = 23;
}

/** A file that others can write, or that somebody else has put there, says nothing about payments. */
function assertOwn(file: string): void {
  const stats = lstatSync(file);
  if (!stats.isFile()) throw new ReceiptsRefused('are not a file, and are not used');
  const user = process.getuid?.();
  if (user === undefined) return;
  if (stats.uid !== user) throw new ReceiptsRefused('belong to another user, and are not used');
  if ((stats.mode & 0o022) !== 0)
    throw new ReceiptsRefused('can be written by other users, and are not used: chmod 600');
}

/** NFS, SMB, CIFS, AFS, 9P, Ceph: the magic numbers of statfs(2). A write-ahead log needs memory that all processes share. */
const networkTypes = [0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x01021997, 0x00c36400];

const isOnNetwork = (file: string): boolean => networkTypes.includes(statfsSync(file).type);

function checkVersion(database: DatabaseSync, readOnly: boolean): void {
  const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (found === version) return;
  if (found > version)
    throw new ReceiptsRefused('were written by a newer version of shotlist, and are not used');
  if (readOnly) throw new ReceiptsRefused('are empty');
  database.exec(`BEGIN IMMEDIATE; ${tables} PRAGMA user_version = ${version}; COMMIT`);
  database
    .prepare("INSERT OR IGNORE INTO about (name, value) VALUES ('salt', ?)")
    .run(randomBytes(32).toString('hex'));
}

type Row = Readonly<Record<string, unknown>>;

function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`bug: receipts without the text ${column}`);
  return value;
}

function savedOf(row: Row): SavedFile {
  const stored = row['stored'];
  return {
    index: Number(row['idx']),
    task: textOf(row, 'task'),
    path: textOf(row, 'path'),
    bytes: Number(row['bytes']),
    sha256: textOf(row, 'sha256'),
    stored: typeof stored === 'string' ? stored : undefined,
  };
}

/** A line that is no job line counts as damage of the database. */
function jobLineOf(text: string): JobLine {
  const line = parseLine(text);
  if (line.ok && line.value.type === 'job') return line.value.line;
  throw new DamagedReceipt(`a receipt that is no job: ${line.ok ? line.value.type : line.error}`);
}

class DamagedReceipt extends Error {
  /** SQLITE_CORRUPT. */
  readonly errcode = 11;
}
