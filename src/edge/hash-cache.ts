// Remembers the hashes of files by path, size, times and inode, so that a second run reads no media.
// Only a cache: it is thrown away when it cannot be read.
import { type BigIntStats, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Digest } from '../base/digest.ts';
import { digestFrom } from '../base/digest.ts';

/** A file changed less than this before it was hashed may change again within one tick of its time stamp. */
const racyNs = 2_000_000_000n;

export class HashCache {
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  /** Files too young for the cache, for this process only. */
  readonly #young = new Map<string, { stamp: string; digest: Digest }>();

  constructor(file: string) {
    this.#database = openDatabase(file);
    this.#get = this.#database.prepare('SELECT stamp, digest FROM files WHERE path = ?');
    this.#set = this.#database.prepare(
      'INSERT INTO files (path, stamp, digest) VALUES (?, ?, ?) ' +
        'ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, digest = excluded.digest',
    );
    this.#database.exec('BEGIN');
  }

  get(path: string, stats: BigIntStats): Digest | undefined {
    const stamp = stampOf(stats);
    const young = this.#young.get(path);
    if (young?.stamp === stamp) return young.digest;
    const row = this.#get.get(path);
    return row?.['stamp'] === stamp ? digestFrom(String(row['digest'])) : undefined;
  }

  /** A file that somebody made: `now` in epoch milliseconds, when the reading began. */
  set(path: string, stats: BigIntStats, digest: Digest, now: number): void {
    if (BigInt(now) * 1_000_000n - stats.mtimeNs < racyNs)
      this.#young.set(path, { stamp: stampOf(stats), digest });
    else this.trust(path, stats, digest);
  }

  /** A file that shotlist itself has just written whole. */
  trust(path: string, stats: BigIntStats, digest: Digest): void {
    this.#set.run(path, stampOf(stats), digest);
  }

  close(): void {
    this.#database.exec('COMMIT');
    this.#database.close();
  }
}

const stampOf = (stats: BigIntStats): string =>
  `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino}`;

const schema =
  'CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, stamp TEXT, digest TEXT) WITHOUT ROWID';

function openDatabase(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true });
  const open = (): DatabaseSync => {
    const database = new DatabaseSync(file, { timeout: 5000 });
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000;',
    );
    database.exec(schema);
    return database;
  };
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Error) || !('errcode' in error)) throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return open();
  }
}
