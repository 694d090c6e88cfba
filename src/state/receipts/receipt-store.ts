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
  type Stats,
  statfsSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../../base/folder.ts';
import { systemCode, systemReason } from '../../base/system-error.ts';
import { count } from '../../base/text.ts';
import { isSqlite } from '../../files/cache-database.ts';
import { type JobLine, lineText, parseLine } from '../../model/line.ts';
import {
  goesOn,
  isState,
  laterOf,
  type Receipt,
  type ReceiptSource,
  replaces,
  type SavedFile,
  withoutFiles,
} from './receipt.ts';

/** The format of the tables. A database of a newer version is not touched. */
const formatVersion = 1;
/** Says that a database is ours: "shot". */
const applicationId = 0x73686f74;

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
CREATE INDEX IF NOT EXISTS creation_held ON creation (holder) WHERE holder IS NOT NULL;
CREATE INDEX IF NOT EXISTS creation_source ON creation (source);
CREATE TABLE IF NOT EXISTS saved (
  creation INTEGER NOT NULL REFERENCES creation (id) ON DELETE CASCADE, idx INTEGER NOT NULL, task TEXT NOT NULL,
  path TEXT NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, stored TEXT, UNIQUE (creation, idx, path)
) STRICT;
CREATE INDEX IF NOT EXISTS saved_path ON saved (path);
CREATE TABLE IF NOT EXISTS written (state TEXT PRIMARY KEY, digest TEXT NOT NULL, at TEXT NOT NULL) STRICT;
`;

const columns =
  'creation.id, service, job, account, holder, line, folder, pipeline, source.state AS file, branch';
const joined = `SELECT ${columns} FROM creation JOIN source ON source.id = creation.source`;

/** Milliseconds that another process may hold the database before it counts as locked. Nothing else happens meanwhile. */
const patientMs = 1_000;
/** The same while the last attempt has found it locked. */
const hurriedMs = 50;
/** Free detections are remembered, and are no payments. */
const isListed = "(creation.state <> 'supplied')";
const isOf = '(?1 IS NULL OR (folder = ?1 AND pipeline = ?2))';

/** Milliseconds without another attempt after the database could not be used. */
const restMs = 15_000;
/** Milliseconds in which whoever makes the database writes its tables. */
const youngMs = 10_000;

type Doing = 'read' | 'write' | 'note';

export interface ReceiptStoreOptions {
  readonly file: string;
  /** A sentence without its end, each at most once. */
  readonly onWarning: (message: string) => void;
  readonly now: () => number;
  /** Nothing is created or written. */
  readonly readOnly?: boolean;
  /** The type of the file system, as statfs(2) numbers them. Default: the system is asked. */
  readonly fileSystemOf?: (file: string) => number;
}

/** A pipeline file. */
export type PipelineSource = Pick<ReceiptSource, 'folder' | 'pipeline'>;

export interface ReceiptTotals {
  readonly receipts: number;
  readonly credits: number;
  /** Free face detections that are remembered; they are no receipts. */
  readonly detections: number;
}

export class ReceiptStore implements Disposable {
  readonly file: string;
  readonly #o: ReceiptStoreOptions;
  #database: DatabaseSync | undefined;
  /** False for a database that can only be read. */
  #writes = false;
  /** Identifies the file that was opened last: another process may put another one in its place. */
  #inode: number | undefined;
  #salt: string | undefined;
  readonly #statements = new Map<string, StatementSync>();
  readonly #sources = new Map<string, number>();
  readonly #told = new Set<string>();
  readonly #restsUntil: Record<Doing, number> = { read: 0, write: 0, note: 0 };
  #patience = patientMs;

  constructor(options: ReceiptStoreOptions) {
    this.#o = options;
    this.file = options.file;
  }

  /** Receipts of a request, the newest first; undefined if they cannot be read. */
  of(service: string, job: string): readonly Receipt[] | undefined {
    return this.#try('read', () => this.#of(service, job));
  }

  /** The state of one creation; undefined if it is not known, or cannot be read. */
  stateOf(service: string, job: string, name: string): string | undefined {
    const sql = 'SELECT state FROM creation WHERE service = ? AND job = ? AND name = ?';
    return this.#try('read', () => {
      const row = this.#prepare(sql).get(service, job, name);
      return row === undefined ? undefined : textOf(row, 'state');
    });
  }

  /** True if there are no receipts of this service; undefined if they cannot be read. */
  isEmpty(service: string): boolean | undefined {
    const sql = 'SELECT 1 FROM creation WHERE service = ? LIMIT 1';
    return this.#try('read', () => this.#prepare(sql).get(service) === undefined);
  }

  /** The later takes of a request, the first ones first; undefined if they cannot be read. */
  takesOf(service: string, first: string): readonly Receipt[] | undefined {
    return this.#try('read', () =>
      this.#read(`${joined} WHERE service = ? AND first = ? ORDER BY creation.id`, service, first),
    );
  }

  /** The receipts whose outcome is not known, as far as they say who sends them; undefined if they cannot be read. */
  held(): readonly Receipt[] | undefined {
    return this.#try('read', () => this.#read(`${joined} WHERE holder IS NOT NULL`));
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

  /** The receipts that came from a state file at this place. Throws if they cannot be read. */
  *ofState(state: string): Generator<Receipt> {
    if (this.#open('read') === undefined) return;
    const sql = `${joined} WHERE creation.source IN (SELECT id FROM source WHERE state = ?) ORDER BY creation.id`;
    for (const row of this.#prepare(sql).iterate(state)) yield this.#receiptOf(row);
  }

  /**
   * Visits the payments of a pipeline's state file at this place, the oldest first, except those that `isKnown` knows by job
   * and name. False if they cannot be read.
   */
  eachUnknown(
    state: string,
    isKnown: (job: string, name: string) => boolean,
    visit: (receipt: Receipt) => void,
  ): boolean {
    const sql =
      'SELECT id, job, name FROM creation WHERE source IN (SELECT id FROM source WHERE state = ?) ' +
      "AND state NOT IN ('failed', 'forgotten', 'supplied') ORDER BY id";
    const read = this.#try('read', () => {
      for (const { id, job, name } of this.#prepare(sql).iterate(state))
        if (!isKnown(String(job), String(name)))
          for (const row of this.#prepare(`${joined} WHERE creation.id = ?`).all(Number(id)))
            visit(this.#receiptOf(row));
      return true;
    });
    return read === true;
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
        const other = taken(this.#of(receipt.service, receipt.line.job));
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

  /** The newest payments of a pipeline, or of all, the newest first. Throws if they cannot be read. */
  newest(of: PipelineSource | undefined, limit: number): readonly Receipt[] {
    if (this.#open('read') === undefined) return [];
    const sql = `${joined} WHERE ${isListed} AND ${isOf} ORDER BY creation.at DESC, creation.id DESC LIMIT ${limit}`;
    return this.#read(sql, of?.folder ?? null, of?.pipeline ?? null);
  }

  /** Of the payments of a pipeline, or of all. Throws if they cannot be read. */
  totals(of: PipelineSource | undefined): ReceiptTotals {
    if (this.#open('read') === undefined) return { receipts: 0, credits: 0, detections: 0 };
    const sql =
      `SELECT count(*) FILTER (WHERE ${isListed}) AS receipts, count(*) FILTER (WHERE NOT ${isListed}) AS detections, ` +
      `total(json_extract(line, '$.credits')) AS credits ` +
      `FROM creation JOIN source ON source.id = creation.source WHERE ${isOf}`;
    const row = this.#prepare(sql).get(of?.folder ?? null, of?.pipeline ?? null);
    return {
      receipts: Number(row?.['receipts']),
      credits: Number(row?.['credits']),
      detections: Number(row?.['detections']),
    };
  }

  /**
   * Adds receipts from another record. What is here stays: it only learns how an attempt went on, and where else its files
   * are. Throws if the store cannot be written.
   */
  add(receipts: readonly Receipt[]): { readonly added: number; readonly changed: number } {
    return this.#must(() =>
      this.#transaction(() => {
        let [added, changed] = [0, 0];
        for (const receipt of receipts) {
          const { service, line, saved } = receipt;
          const known = this.#creation(service, line);
          const isLater = known !== undefined && goesOn(jobLineOf(textOf(known, 'line')), line);
          let id = Number(known?.['id']);
          if (known === undefined) id = this.#insert({ ...receipt, holder: undefined });
          else if (isLater) this.#update(known, { line, account: undefined, holder: undefined });
          let files = 0;
          for (const { index, task, path, bytes, sha256, stored } of saved)
            files += Number(
              this.#prepare(
                'INSERT OR IGNORE INTO saved (creation, idx, task, path, bytes, sha256, stored) VALUES (?, ?, ?, ?, ?, ?, ?)',
              ).run(id, index, task, path, bytes, sha256, stored ?? null).changes,
            );
          if (known === undefined) added += 1;
          else if (isLater || files > 0) changed += 1;
        }
        return { added, changed };
      }),
    );
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

  /** `note`: only in a database that is there. */
  noteWritten(
    state: string,
    digest: string,
    { at, doing }: { readonly at: string; readonly doing: 'note' | 'write' },
  ): void {
    this.#try(doing, () => {
      const sql = 'INSERT OR REPLACE INTO written (state, digest, at) VALUES (?, ?, ?)';
      this.#prepare(sql).run(state, digest, at);
    });
  }

  /**
   * Random, made once: hashes of accounts are salted with it. Undefined if the store cannot be used. `write`: a database is
   * made if there is none.
   */
  saltTo(doing: Doing): string | undefined {
    this.#salt ??= this.#try(doing, () => {
      const row = this.#prepare("SELECT value FROM about WHERE name = 'salt'").get();
      return row === undefined ? undefined : textOf(row, 'value');
    });
    return this.#salt;
  }

  /** True while nothing is written, because the database could not be used a moment ago. */
  get rests(): boolean {
    return this.#o.now() < this.#restsUntil.write;
  }

  /** The next attempt is made at once, however recently the database could not be used. */
  retry(): void {
    Object.assign(this.#restsUntil, { read: 0, write: 0, note: 0 });
    this.#patience = patientMs;
  }

  close(): void {
    this.#letGo();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #put({ service, line, source, account, holder, saved }: Receipt): void {
    const known = this.#creation(service, line);
    const id =
      known === undefined
        ? this.#insert({ service, line, source, account, holder, saved })
        : this.#update(known, { line, account, holder });
    for (const { index, task, path, bytes, sha256, stored } of saved)
      this.#prepare(saving).run(id, index, task, path, bytes, sha256, stored ?? null);
  }

  #creation(service: string, { job, name = '' }: Pick<JobLine, 'job' | 'name'>): Row | undefined {
    const sql = 'SELECT id, state, line FROM creation WHERE service = ? AND job = ? AND name = ?';
    return this.#prepare(sql).get(service, job, name);
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
    const told = withoutFiles(line);
    // Reading a line takes longer than writing one.
    const now = isReplaced(known, told) ? told : laterOf(jobLineOf(textOf(known, 'line')), told);
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

  #of(service: string, job: string): readonly Receipt[] {
    const sql = `${joined} WHERE service = ? AND job = ? ORDER BY creation.id DESC`;
    const found = this.#read(sql, service, job);
    if (found.some((one) => one.service !== service || one.line.job !== job)) throw misplaced();
    return found;
  }

  #read(sql: string, ...values: readonly (string | null)[]): readonly Receipt[] {
    return this.#prepare(sql)
      .all(...values)
      .map((row) => this.#receiptOf(row));
  }

  #receiptOf(row: Row): Receipt {
    const files = this.#prepare(savedFiles).all(Number(row['id']));
    return { ...receiptOf(row), saved: files.map(savedOf) };
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#opened.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  get #opened(): DatabaseSync {
    if (this.#database === undefined) throw new Error('bug: receipts that are not open');
    return this.#database;
  }

  #transaction<T>(work: () => T): T {
    const database = this.#opened;
    database.exec('BEGIN IMMEDIATE');
    try {
      const value = work();
      database.exec('COMMIT');
      return value;
    } catch (error) {
      // A new source is not in the table any more.
      this.#sources.clear();
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Undefined if the database cannot be used; then a warning has said so. A damaged one is set aside, and a new one begun. */
  #try<T>(doing: Doing, work: () => T): T | undefined {
    if (this.#o.now() < this.#restsUntil[doing]) return undefined;
    try {
      return this.#repaired(() => this.#attempt(doing, work));
    } catch (error) {
      return this.#rest(doing, error);
    }
  }

  /** For a command that is about the receipts: throws what `receiptsProblem` words. */
  #must<T>(work: () => T): T {
    const done = this.#repaired(() => this.#attempt('write', () => ({ value: work() })));
    if (done === undefined) throw new Error('bug: receipts that are only read');
    return done.value;
  }

  /** If the database is damaged, once more with what can be read of it. */
  #repaired<T>(attempt: () => T): T {
    try {
      return attempt();
    } catch (error) {
      if (!isDamage(error) || !this.#setAside()) throw error;
      return attempt();
    }
  }

  /** Throws problems of the database or its file, and bugs. */
  #attempt<T>(doing: Doing, work: () => T): T | undefined {
    try {
      if (this.#open(doing) === undefined) return undefined;
      const value = work();
      this.#calm();
      return value;
    } catch (error) {
      this.#letGo();
      throw error;
    }
  }

  #calm(): void {
    if (this.#patience === patientMs) return;
    this.#patience = patientMs;
    this.#opened.exec(`PRAGMA busy_timeout = ${patientMs}`);
  }

  #rest(doing: Doing, error: unknown): undefined {
    if (!isProblem(error)) throw error;
    if (isLocked(error)) this.#patience = hurriedMs;
    this.#restsUntil[doing] = this.#o.now() + restMs;
    const consequence = consequences[doing];
    if (consequence !== undefined)
      this.#tell(`your receipts (${this.file}) ${reasonOf(error)}: ${consequence}`);
  }

  #tell(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#o.onWarning(message);
  }

  /**
   * Undefined if there is no database and none is to be made. What cannot be written is opened to be read. Throws what the
   * database throws.
   */
  #open(doing: Doing): DatabaseSync | undefined {
    if (this.#database !== undefined) {
      if (doing === 'read' || this.#writes) return this.#database;
      this.#letGo();
    }
    const { readOnly = false, fileSystemOf = typeOf } = this.#o;
    if (readOnly && doing !== 'read') return undefined;
    let stats = lookAt(this.file);
    const isAbsent = stats === undefined || (stats.size === 0 && stats.isFile() && isYoung(stats));
    if (isAbsent && doing !== 'write') return undefined;
    if (stats === undefined) {
      makeFolder(dirname(this.file), 0o700);
      closeSync(openSync(this.file, constants.O_CREAT | constants.O_RDWR | noFollow, 0o600));
      stats = lstatSync(this.file);
    }
    assertOwn(this.file);
    this.#inode = stats.ino;
    if (stats.size === 0 && !isYoung(stats)) throw new DamagedReceipts('are empty');
    const isOnNetwork = networkTypes.includes(fileSystemOf(this.file));
    this.#database = readOnly
      ? openToRead(this.file, this.#patience)
      : this.#openToWrite(doing, isOnNetwork ? 'TRUNCATE' : 'WAL');
    return this.#database;
  }

  #openToWrite(doing: Doing, log: Log): DatabaseSync {
    try {
      const database = openToWrite(this.file, log, this.#patience);
      this.#writes = true;
      return database;
    } catch (error) {
      if (doing !== 'read' || !(isUnwritable(error) || isLocked(error))) throw error;
      return openToRead(this.file, this.#patience);
    }
  }

  #letGo(): void {
    this.#statements.clear();
    this.#sources.clear();
    this.#salt = undefined;
    this.#writes = false;
    this.#database?.close();
    this.#database = undefined;
  }

  /** What can be read goes into a new database. False if the damaged one stays where it is. */
  #setAside(): boolean {
    if (this.#o.readOnly === true) return false;
    // Another process has set it aside: the one that is there now is new.
    if (lookAt(this.file)?.ino !== this.#inode) return true;
    const stamp = new Date(this.#o.now()).toISOString().replace(/[:.]/g, '-');
    const aside = `${this.file}.damaged-${stamp}-${process.pid}`;
    try {
      for (const end of ['', '-wal', '-shm', '-journal'])
        if (existsSync(`${this.file}${end}`)) renameSync(`${this.file}${end}`, `${aside}${end}`);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
    const saved = this.#salvage(aside);
    this.#tell(
      `your receipts were damaged and are set aside (${aside}); ${count(saved, 'receipt')} could be read and ` +
        `${saved === 1 ? 'is' : 'are'} kept: what only the others knew to be paid for is not known now`,
    );
    return true;
  }

  /** How many could be read, and are in a new database. */
  #salvage(aside: string): number {
    let saved = 0;
    try {
      using damaged = new DatabaseSync(aside, { defensive: false });
      // Then the file may be shorter than it should be.
      damaged.exec('PRAGMA writable_schema = ON');
      this.#open('write');
      const salt = saltIn(damaged);
      if (salt !== undefined)
        this.#prepare("UPDATE about SET value = ? WHERE name = 'salt'").run(salt);
      this.#transaction(() => {
        for (const receipt of legibleIn(damaged)) {
          // Another salt makes another hash: nobody knows whose it is.
          this.#put(salt === undefined ? { ...receipt, account: undefined } : receipt);
          saved += 1;
        }
      });
    } catch (error) {
      if (!isProblem(error)) throw error;
      this.#letGo();
    }
    return saved;
  }
}

const consequences = {
  read: 'what other pipelines, or a lost state file, have paid for is not known',
  write: 'what this command pays for is recorded in the state file only',
  // What is noted only saves the next command a comparison.
  note: undefined,
} as const;

type Log = 'WAL' | 'TRUNCATE';

function openToWrite(file: string, log: Log, timeout: number): DatabaseSync {
  const database = new DatabaseSync(file, { timeout });
  try {
    // Without a write-ahead log, a loss of power between two syncs can damage the database.
    const synchronous = log === 'WAL' ? 'NORMAL' : 'FULL';
    database.exec(
      `PRAGMA journal_mode = ${log}; PRAGMA synchronous = ${synchronous}; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 4000;`,
    );
    if (versionOf(database) === 0) createTables(database);
    checkTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openToRead(file: string, timeout: number): DatabaseSync {
  try {
    return checked(new DatabaseSync(file, { readOnly: true, timeout }));
  } catch (error) {
    if (!isUnwritable(error) || (lookAt(`${file}-wal`)?.size ?? 0) > 0) throw error;
  }
  // Without a log of changes, the file alone is complete. SQLite wants files beside it all the same, and may not make them.
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return checked(new DatabaseSync(address, { readOnly: true, timeout }));
}

function checked(database: DatabaseSync): DatabaseSync {
  try {
    checkTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Undefined if there is nothing. Does not follow links. */
function lookAt(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Somebody may be writing its tables. */
const isYoung = ({ mtimeMs }: Stats): boolean => Date.now() - mtimeMs < youngMs;

const noFollow = constants.O_NOFOLLOW ?? 0;

/** The lower byte of SQLite's error code; undefined for other errors. */
const resultOf = (error: unknown): number | undefined =>
  isSqlite(error) && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;

const isOneOf = (error: unknown, results: readonly number[]): boolean =>
  results.includes(resultOf(error) ?? -1);

/** SQLITE_CORRUPT, SQLITE_NOTADB, and a number so large that only damage explains it. */
const isDamage = (error: unknown): boolean =>
  isOneOf(error, [11, 26]) || systemCode(error) === 'ERR_OUT_OF_RANGE';

/** SQLITE_BUSY and SQLITE_LOCKED. */
const isLocked = (error: unknown): boolean => isOneOf(error, [5, 6]);

/** SQLITE_PERM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN: it may be readable all the same. */
const isUnwritable = (error: unknown): boolean => isOneOf(error, [3, 8, 10, 13, 14]);

/** A problem of the database or its file: no bug. */
const isProblem = (error: unknown): boolean =>
  isSqlite(error) || isDamage(error) || (systemCode(error)?.startsWith('E') ?? false);

function reasonOf(error: unknown): string {
  if (error instanceof ReceiptsRefused || error instanceof DamagedReceipts) return error.message;
  const code = systemCode(error);
  if (code !== undefined && !code.startsWith('ERR_')) return systemReason(error);
  return `cannot be used (${error instanceof Error ? error.message : String(error)})`;
}

/** Why receipts cannot be used, as the end of a sentence that begins with them; anything else is a bug, and thrown. */
export function receiptsProblem(error: unknown): string {
  if (!isProblem(error)) throw error;
  return reasonOf(error);
}

/** The database is not the user's own, or of another version. `message` is the end of a sentence about the file. */
class ReceiptsRefused extends Error {
  /** As SQLite's own errors have one: SQLITE_AUTH. */
  readonly errcode = 23;
}

/** `message` is the end of a sentence about the file. */
class DamagedReceipts extends Error {
  /** SQLITE_CORRUPT. */
  readonly errcode = 11;
}

const misplaced = (): Error => new DamagedReceipts('have a receipt at the place of another one');

/** A file that others can write, or that somebody else has put there, says nothing about payments. Nor do SQLite's files beside it. */
function assertOwn(file: string): void {
  const user = process.getuid?.();
  for (const end of ['', '-wal', '-shm', '-journal']) {
    const stats = lookAt(`${file}${end}`);
    if (stats === undefined) continue;
    if (!stats.isFile()) throw new ReceiptsRefused('are not a file, and are not used');
    if (user === undefined) continue;
    if (stats.uid !== user) throw new ReceiptsRefused('belong to another user, and are not used');
    if ((stats.mode & 0o022) !== 0)
      throw new ReceiptsRefused('can be written by other users, and are not used: chmod 600');
  }
}

/** NFS, SMB, CIFS, AFS, 9P, Ceph: the magic numbers of statfs(2). A write-ahead log needs memory that all processes share. */
const networkTypes = [0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x01021997, 0x00c36400];

const typeOf = (file: string): number => statfsSync(file).type;

const numberOf = (database: DatabaseSync, name: string): number =>
  Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);

const versionOf = (database: DatabaseSync): number => numberOf(database, 'user_version');

const tablesIn = (database: DatabaseSync): number =>
  Number(
    database.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table'").get()?.['n'],
  );

/** Two processes may do so at once. */
function createTables(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const isNew = tablesIn(database) === 0;
    if (isNew) {
      database.exec(`${tables} PRAGMA application_id = ${applicationId}`);
      database
        .prepare("INSERT INTO about (name, value) VALUES ('salt', ?)")
        .run(randomBytes(32).toString('hex'));
      database.exec(`PRAGMA user_version = ${formatVersion}`);
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function checkTables(database: DatabaseSync): void {
  if (numberOf(database, 'application_id') !== applicationId)
    throw new ReceiptsRefused('are a database of another program, and are not used');
  const found = versionOf(database);
  if (found > formatVersion)
    throw new ReceiptsRefused('were written by a newer version of shotlist, and are not used');
  if (found < formatVersion || tablesIn(database) < 5)
    throw new DamagedReceipts('have lost their tables');
}

function saltIn(damaged: DatabaseSync): string | undefined {
  try {
    const row = damaged.prepare("SELECT value FROM about WHERE name = 'salt'").get();
    return row === undefined ? undefined : textOf(row, 'value');
  } catch (error) {
    if (!isProblem(error)) throw error;
    return undefined;
  }
}

/** No database has as many rows. */
const lastId = 2 ** 40;

/** What can be read of a damaged database, in the order in which the creations began. */
function* legibleIn(damaged: DatabaseSync): Generator<Receipt> {
  const next = damaged.prepare(`${joined} WHERE creation.id > ? ORDER BY creation.id LIMIT 1`);
  let stride = 1;
  for (let id = 0; id < lastId; ) {
    const found = legible(() => next.get(id));
    if (found === 'damaged') {
      // The page has more rows: the steps become larger until they have left it.
      id += stride;
      stride *= 2;
      continue;
    }
    if (found === undefined) return;
    id = Math.max(id + 1, Number(found['id']));
    stride = 1;
    const receipt = legible(() => receiptOf(found));
    if (receipt === 'damaged') continue;
    const saved = legible(() => damaged.prepare(savedFiles).all(id).map(savedOf));
    yield { ...receipt, saved: saved === 'damaged' ? [] : saved };
  }
}

function legible<T>(read: () => T): T | 'damaged' {
  try {
    return read();
  } catch (error) {
    if (!isProblem(error)) throw error;
    return 'damaged';
  }
}

type Row = Readonly<Record<string, unknown>>;

function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new DamagedReceipts(`have lost a text (${column})`);
  return value;
}

function receiptOf(row: Row): Omit<Receipt, 'saved'> {
  const [branch, account, holder] = [textOf(row, 'branch'), row['account'], row['holder']];
  const line = jobLineOf(textOf(row, 'line'));
  if (line.job !== row['job']) throw misplaced();
  return {
    service: textOf(row, 'service'),
    line,
    source: {
      folder: textOf(row, 'folder'),
      pipeline: textOf(row, 'pipeline'),
      state: textOf(row, 'file'),
      branch: branch === '' ? undefined : branch,
    },
    account: typeof account === 'string' ? account : undefined,
    holder: typeof holder === 'string' ? holder : undefined,
  };
}

/** Most files are told of again as they were, and then nothing is written. */
const saving =
  'INSERT INTO saved (creation, idx, task, path, bytes, sha256, stored) VALUES (?, ?, ?, ?, ?, ?, ?) ' +
  'ON CONFLICT (creation, idx, path) DO UPDATE SET task = excluded.task, bytes = excluded.bytes, ' +
  'sha256 = excluded.sha256, stored = excluded.stored WHERE (task, bytes, sha256, stored) IS NOT ' +
  '(excluded.task, excluded.bytes, excluded.sha256, excluded.stored)';

const savedFiles = 'SELECT * FROM saved WHERE creation = ? ORDER BY idx';

/** A state that is none counts as damage when the line is read. */
function isReplaced(known: Row, told: JobLine): boolean {
  const state = textOf(known, 'state');
  return isState(state) && replaces(told, state);
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
  throw new DamagedReceipts(
    `have a receipt that is no job (${line.ok ? line.value.type : line.error})`,
  );
}
