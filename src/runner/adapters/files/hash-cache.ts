// Remembers the hashes of files by path, size, times and inode, so that a second run reads no media, and which outputs
// have been in this checkout. It is only a cache: an unreadable cache is discarded, and an unwritable cache is not used.
import { type BigIntStats, existsSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { type Digest, digestFrom } from '../../../contract/base/digest.ts';
import { isSystemProblem, systemCode } from '../../../contract/files/system-error.ts';
import type { RecordedFile } from '../../plan/facts.ts';

/** A file that changed less than this before it was hashed may change again within the same tick of its time stamp. */
const racyNs = 2_000_000_000n;
/** The number of hashes that are written together. */
const batch = 500;

interface CachedHash {
  readonly stamp: string;
  readonly digest: Digest;
}

export class HashCache {
  readonly #o: Opened;
  /** Files that changed too recently for the cache; for this process only. */
  readonly #young = new Map<string, CachedHash>();
  readonly #unwritten = new Map<string, CachedHash>();
  readonly #saved = new Map<string, RecordedFile>();

  /**
   * `file` must be in an existing folder. If it is undefined, hashes are remembered in this process only. With `read`,
   * nothing is written or created.
   */
  constructor(file: string | undefined, access: 'write' | 'read' = 'write') {
    this.#o = access === 'read' ? openToRead(file) : openDatabase(file);
  }

  get(path: string, stats: BigIntStats): Digest | undefined {
    const stamp = stampOf(stats);
    const near = this.#young.get(path) ?? this.#unwritten.get(path);
    if (near?.stamp === stamp) return near.digest;
    const row = this.#o.get.get(path);
    return row?.['stamp'] === stamp ? digestFrom(String(row['digest'])) : undefined;
  }

  /** For a file from outside. `now` is when the reading began, in milliseconds since 1970. */
  set(path: string, stats: BigIntStats, digest: Digest, now: number): void {
    const entry = { stamp: stampOf(stats), digest };
    if (BigInt(now) * 1_000_000n - stats.mtimeNs < racyNs) {
      this.#young.set(path, entry);
      return;
    }
    this.#young.delete(path);
    this.#keep(path, entry);
  }

  /** For a file that shotlist itself has just written. */
  trust(path: string, stats: BigIntStats, digest: Digest): void {
    this.#young.delete(path);
    this.#keep(path, { stamp: stampOf(stats), digest });
  }

  /** Remembers that this checkout has saved an output, whatever becomes of the file. */
  remember(output: RecordedFile): void {
    this.#saved.set(keyOf(output), output);
    if (this.#saved.size >= batch) this.#write();
  }

  /** True if this checkout has saved an output, or hashed it at this absolute path. */
  hasSeen(path: string, output: RecordedFile): boolean {
    const { sha256 } = output;
    if (this.#saved.has(keyOf(output))) return true;
    if (this.#o.saved.get(output.path, sha256) !== undefined) return true;
    const near = this.#young.get(path) ?? this.#unwritten.get(path);
    return (near?.digest ?? this.#o.get.get(path)?.['digest']) === sha256;
  }

  #keep(path: string, entry: CachedHash): void {
    this.#unwritten.set(path, entry);
    if (this.#unwritten.size >= batch) this.#write();
  }

  /** If the run of another pipeline is writing, these hashes are lost and the files are hashed again later. */
  #write(): void {
    const { database, set, save } = this.#o;
    try {
      database.exec('BEGIN IMMEDIATE');
      for (const [path, { stamp, digest }] of this.#unwritten) set.run(path, stamp, digest);
      for (const { path, sha256 } of this.#saved.values()) save.run(path, sha256);
      database.exec('COMMIT');
    } catch (error) {
      if (!isSqlite(error)) throw error;
    }
    this.#unwritten.clear();
    this.#saved.clear();
  }

  close(): void {
    if (this.#unwritten.size + this.#saved.size > 0) this.#write();
    this.#o.database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const keyOf = ({ path, sha256 }: RecordedFile): string => `${sha256} ${path}`;

const stampOf = (stats: BigIntStats): string =>
  `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino}`;

const isSqlite = (error: unknown): error is Error => error instanceof Error && 'errcode' in error;

interface Opened {
  readonly database: DatabaseSync;
  readonly get: StatementSync;
  readonly set: StatementSync;
  /** Finds an output that this checkout has saved. */
  readonly saved: StatementSync;
  readonly save: StatementSync;
}

/** A database that cannot be read knows nothing. */
function openToRead(file: string | undefined): Opened {
  if (file === undefined || !existsSync(file)) return open(':memory:');
  // Without a log of changes, the file alone is complete, and SQLite needs no files beside it.
  const alone = !existsSync(`${file}-wal`);
  const address = pathToFileURL(file);
  if (alone) address.searchParams.set('immutable', '1');
  try {
    const database = new DatabaseSync(address, { readOnly: true, timeout: 1000 });
    return prepared(database);
  } catch (error) {
    if (!isSqlite(error)) throw error;
    return open(':memory:');
  }
}

/** If the cache cannot be written, for example in a read-only checkout, hashes are remembered in this process only. */
function openDatabase(file: string | undefined): Opened {
  if (file === undefined) return open(':memory:');
  try {
    return openOrReplace(file);
  } catch (error) {
    if (!isSqlite(error) && !isSystemProblem(error) && systemCode(error) !== 'ERR_FS_EISDIR')
      throw error;
    return open(':memory:');
  }
}

function openOrReplace(file: string): Opened {
  try {
    return open(file);
  } catch (error) {
    if (!isSqlite(error)) throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return open(file);
  }
}

function open(file: string): Opened {
  const database = new DatabaseSync(file, { timeout: 1000 });
  try {
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000; ' +
        'CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, stamp TEXT, digest TEXT) WITHOUT ROWID; ' +
        'CREATE TABLE IF NOT EXISTS saved (path TEXT, digest TEXT, PRIMARY KEY (path, digest)) WITHOUT ROWID',
    );
  } catch (error) {
    database.close();
    throw error;
  }
  return prepared(database);
}

function prepared(database: DatabaseSync): Opened {
  try {
    return {
      database,
      get: database.prepare('SELECT stamp, digest FROM files WHERE path = ?'),
      set: database.prepare(
        'INSERT INTO files (path, stamp, digest) VALUES (?, ?, ?) ' +
          'ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, digest = excluded.digest',
      ),
      saved: database.prepare('SELECT 1 FROM saved WHERE path = ? AND digest = ?'),
      save: database.prepare('INSERT OR IGNORE INTO saved (path, digest) VALUES (?, ?)'),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
