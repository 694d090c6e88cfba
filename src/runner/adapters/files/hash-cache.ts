// Remembers the hashes of files by path, size, times and inode, so that a second run reads no media, and which outputs
// have been in this checkout.
import type { BigIntStats } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Digest, digestFrom } from '../../../contract/base/digest.ts';
import type { RecordedFile } from '../../plan/facts.ts';
import { type CacheTables, isSqlite, openCache, openCacheToRead } from './cache-database.ts';
import { isRacy, stampOf } from './file-stamps.ts';

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
  /** What this turn of the event loop has done: read nothing, read a row, or begun a transaction to read many. */
  #turn: 'new' | 'read' | 'transaction' = 'new';

  /**
   * `file` must be in an existing folder. If it is undefined, hashes are remembered in this process only. With `read`,
   * nothing is written or created.
   */
  constructor(file: string | undefined, access: 'write' | 'read' = 'write') {
    this.#o = access === 'read' ? openCacheToRead(file, tables) : openCache(file, tables);
  }

  get(path: string, stats: BigIntStats): Digest | undefined {
    const stamp = stampOf(stats);
    const near = this.#young.get(path) ?? this.#unwritten.get(path);
    if (near?.stamp === stamp) return near.digest;
    const row = this.#read(path);
    return row?.['stamp'] === stamp ? digestFrom(String(row['digest'])) : undefined;
  }

  /** In a transaction, reading a row takes a sixth of the time, so many rows of one turn of the event loop share one. */
  #read(path: string): ReturnType<StatementSync['get']> {
    if (this.#turn === 'new') {
      this.#turn = 'read';
      setImmediate(() => {
        this.#endReading();
        this.#turn = 'new';
      });
    } else if (this.#turn === 'read') {
      this.#o.database.exec('BEGIN');
      this.#turn = 'transaction';
    }
    return this.#o.get.get(path);
  }

  /** Call before anything is written. */
  #endReading(): void {
    if (this.#turn !== 'transaction') return;
    this.#o.database.exec('COMMIT');
    this.#turn = 'read';
  }

  /** For a file from outside. `now` is when the reading began, in milliseconds since 1970. */
  set(path: string, stats: BigIntStats, digest: Digest, now: number): void {
    const entry = { stamp: stampOf(stats), digest };
    if (isRacy(stats.mtimeNs, now)) {
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

  /**
   * Remembers that this checkout saves an output, whatever becomes of the file. At once, and before the file is there: a run
   * that is killed knows its own files again.
   */
  remember(output: RecordedFile): void {
    this.#endReading();
    try {
      this.#o.save.run(output.path, output.sha256);
    } catch (error) {
      if (!isSqlite(error)) throw error;
      this.#saved.set(keyOf(output), output);
    }
  }

  /** True if this checkout has saved an output, or hashed it at this absolute path. */
  hasSeen(path: string, output: RecordedFile): boolean {
    const { sha256 } = output;
    if (this.#saved.has(keyOf(output))) return true;
    if (this.#o.saved.get(output.path, sha256) !== undefined) return true;
    const near = this.#young.get(path) ?? this.#unwritten.get(path);
    return (near?.digest ?? this.#read(path)?.['digest']) === sha256;
  }

  /** True if this checkout has saved an output with this path, whatever its content. */
  hasSaved(path: string): boolean {
    if (this.#o.savedAt.get(path) !== undefined) return true;
    for (const output of this.#saved.values()) if (output.path === path) return true;
    return false;
  }

  #keep(path: string, entry: CachedHash): void {
    this.#unwritten.set(path, entry);
    if (this.#unwritten.size >= batch) this.#write();
  }

  /** If the run of another pipeline is writing, these hashes are lost and the files are hashed again later. */
  #write(): void {
    const { database, set, save } = this.#o;
    this.#endReading();
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
    this.#endReading();
    if (this.#unwritten.size + this.#saved.size > 0) this.#write();
    this.#o.database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const keyOf = ({ path, sha256 }: RecordedFile): string => `${sha256} ${path}`;

interface Opened {
  readonly database: DatabaseSync;
  readonly get: StatementSync;
  readonly set: StatementSync;
  /** Finds an output that this checkout has saved. */
  readonly saved: StatementSync;
  readonly savedAt: StatementSync;
  readonly save: StatementSync;
}

const tables: CacheTables<Opened> = {
  create:
    'CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, stamp TEXT, digest TEXT) WITHOUT ROWID; ' +
    'CREATE TABLE IF NOT EXISTS saved (path TEXT, digest TEXT, PRIMARY KEY (path, digest)) WITHOUT ROWID',
  prepare: (database) => ({
    database,
    get: database.prepare('SELECT stamp, digest FROM files WHERE path = ?'),
    set: database.prepare(
      'INSERT INTO files (path, stamp, digest) VALUES (?, ?, ?) ' +
        'ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, digest = excluded.digest',
    ),
    saved: database.prepare('SELECT 1 FROM saved WHERE path = ? AND digest = ?'),
    savedAt: database.prepare('SELECT 1 FROM saved WHERE path = ? LIMIT 1'),
    save: database.prepare('INSERT OR IGNORE INTO saved (path, digest) VALUES (?, ?)'),
  }),
};
