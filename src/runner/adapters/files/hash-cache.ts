// Remembers the hashes of files by path, size, times and inode, so that a second run reads no media. It is only a
// cache: an unreadable cache is discarded, and an unwritable cache is not used.
import { type BigIntStats, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Digest, digestFrom } from '../../../contract/base/digest.ts';
import { isSystemProblem, systemCode } from '../../../contract/files/system-error.ts';

/** A file that changed less than this before it was hashed may change again within the same tick of its time stamp. */
const racyNs = 2_000_000_000n;
/** The number of hashes that are written together. */
const batch = 500;

interface CachedHash {
  readonly stamp: string;
  readonly digest: Digest;
}

export class HashCache {
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  /** Files that changed too recently for the cache; for this process only. */
  readonly #young = new Map<string, CachedHash>();
  readonly #unwritten = new Map<string, CachedHash>();

  /** `file` must be in an existing folder. If it is undefined, hashes are remembered in this process only. */
  constructor(file: string | undefined) {
    const { database, get, set } = openDatabase(file);
    this.#database = database;
    this.#get = get;
    this.#set = set;
  }

  get(path: string, stats: BigIntStats): Digest | undefined {
    const stamp = stampOf(stats);
    const near = this.#young.get(path) ?? this.#unwritten.get(path);
    if (near?.stamp === stamp) return near.digest;
    const row = this.#get.get(path);
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

  #keep(path: string, entry: CachedHash): void {
    this.#unwritten.set(path, entry);
    if (this.#unwritten.size >= batch) this.#write();
  }

  /** If the run of another pipeline is writing, these hashes are lost and the files are hashed again later. */
  #write(): void {
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const [path, { stamp, digest }] of this.#unwritten) this.#set.run(path, stamp, digest);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (!isSqlite(error)) throw error;
    }
    this.#unwritten.clear();
  }

  close(): void {
    if (this.#unwritten.size > 0) this.#write();
    this.#database.close();
  }
}

const stampOf = (stats: BigIntStats): string =>
  `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino}`;

const isSqlite = (error: unknown): error is Error => error instanceof Error && 'errcode' in error;

interface Opened {
  readonly database: DatabaseSync;
  readonly get: StatementSync;
  readonly set: StatementSync;
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
        'CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, stamp TEXT, digest TEXT) WITHOUT ROWID',
    );
    return {
      database,
      get: database.prepare('SELECT stamp, digest FROM files WHERE path = ?'),
      set: database.prepare(
        'INSERT INTO files (path, stamp, digest) VALUES (?, ?, ?) ' +
          'ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, digest = excluded.digest',
      ),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
