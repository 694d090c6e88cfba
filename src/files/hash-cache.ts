// Remembers the hashes of files by path, size, times and inode, so that a second run reads no media, and which outputs
// have been in this checkout.
import type { BigIntStats } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { type Digest, digestFrom } from '../base/digest.ts';
import type { RecordedFile } from '../core/facts.ts';
import {
  type CacheTables,
  discardCache,
  isDamage,
  isSqlite,
  openCache,
  openCacheToRead,
} from './cache-database.ts';
import { isRacy, stampOf } from './file-stamps.ts';

const hashesPerWrite = 500;
const mostAhead = 64;
/** A forgotten hash is read again. */
const maxRecent = 5_000;

interface CachedHash {
  readonly stamp: string;
  readonly digest: Digest;
}

export class HashCache {
  #o: Opened;
  /** Undefined if nothing is written there. */
  readonly #file: string | undefined;
  /** Files that changed too recently for the cache; for this process only. */
  readonly #young = new Map<string, CachedHash>();
  readonly #recent = new Map<string, CachedHash>();
  readonly #unwritten = new Map<string, CachedHash>();
  /** Outputs that are not written yet. */
  readonly #saved = new Map<string, RecordedFile>();
  /** How many rows are read at a time: 64 take as long as five reads of one, and files are mostly looked at in their order. */
  #ahead = mostAhead;
  #saving: Promise<void> | undefined;

  /**
   * `file` must be in an existing folder. If it is undefined, hashes are remembered in this process only. With `read`,
   * nothing is written or created.
   */
  constructor(file: string | undefined, access: 'write' | 'read' = 'write') {
    this.#file = access === 'read' ? undefined : file;
    this.#o = access === 'read' ? openCacheToRead(file, tables) : openCache(file, tables);
  }

  get(path: string, stats: BigIntStats): Digest | undefined {
    const stamp = stampOf(stats);
    const entry = this.#near(path) ?? this.#read(path);
    return entry?.stamp === stamp ? entry.digest : undefined;
  }

  #near(path: string): CachedHash | undefined {
    return this.#young.get(path) ?? this.#recent.get(path) ?? this.#unwritten.get(path);
  }

  #recall(path: string, entry: CachedHash): void {
    if (this.#recent.size >= maxRecent) this.#recent.clear();
    this.#recent.set(path, entry);
  }

  #read(path: string): CachedHash | undefined {
    const rows = this.#ask(({ from }) => from.all(path, this.#ahead)) ?? [];
    for (const row of rows) {
      const at = String(row['path']);
      if (this.#near(at) === undefined)
        this.#recall(at, {
          stamp: String(row['stamp']),
          digest: digestFrom(String(row['digest'])),
        });
    }
    const entry = rows[0]?.['path'] === path ? this.#near(path) : undefined;
    this.#ahead = entry === undefined ? 1 : mostAhead;
    return entry;
  }

  /** Undefined, too, if the database fails. */
  #ask<T>(question: (opened: Opened) => T): T | undefined {
    try {
      return question(this.#o);
    } catch (error) {
      this.#goOnWithout(error);
      return undefined;
    }
  }

  /** Remembers in this process only. The next command makes a new database in the place of a damaged one. */
  #goOnWithout(error: unknown): void {
    if (!isSqlite(error)) throw error;
    this.#o.database.close();
    this.#o = openCache(undefined, tables);
    if (this.#file !== undefined && isDamage(error)) discardCache(this.#file);
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
   * Remembers that this checkout saves an output, whatever becomes of the file. When this resolves, it is written, so the file
   * can be put in its place: a run that is killed knows its own files again. Outputs of the same turn are written together.
   */
  remember(output: RecordedFile): Promise<void> {
    this.#saved.set(keyOf(output), output);
    this.#saving ??= setImmediate().then(() => {
      this.#saving = undefined;
      this.#write(new Map());
    });
    return this.#saving;
  }

  /** True if this checkout has saved an output, or hashed it at this absolute path. */
  hasSeen(path: string, output: RecordedFile): boolean {
    const { sha256 } = output;
    if (this.#saved.has(keyOf(output))) return true;
    if (this.#ask(({ saved }) => saved.get(output.path, sha256)) !== undefined) return true;
    return (this.#near(path) ?? this.#read(path))?.digest === sha256;
  }

  /** True if this checkout has saved an output with this path, whatever its content. */
  hasSaved(path: string): boolean {
    if (this.#ask(({ savedAt }) => savedAt.get(path)) !== undefined) return true;
    for (const output of this.#saved.values()) if (output.path === path) return true;
    return false;
  }

  #keep(path: string, entry: CachedHash): void {
    this.#recall(path, entry);
    this.#unwritten.set(path, entry);
    if (this.#unwritten.size < hashesPerWrite) return;
    this.#write(this.#unwritten);
    this.#unwritten.clear();
  }

  /** If the run of another pipeline is writing, these hashes are lost and the files are hashed again later. */
  #write(hashes: ReadonlyMap<string, CachedHash>): void {
    const { database, set, save } = this.#o;
    if (!database.isOpen) return;
    try {
      database.exec('BEGIN IMMEDIATE');
      for (const [path, { stamp, digest }] of hashes) set.run(path, stamp, digest);
      for (const { path, sha256 } of this.#saved.values()) save.run(path, sha256);
      database.exec('COMMIT');
      this.#saved.clear();
    } catch (error) {
      if (!isSqlite(error)) throw error;
      // Such as a full disk; without this, nothing could be written any more.
      if (database.isTransaction) database.exec('ROLLBACK');
      if (isDamage(error)) this.#goOnWithout(error);
    }
  }

  close(): void {
    if (this.#unwritten.size + this.#saved.size > 0) this.#write(this.#unwritten);
    this.#o.database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const keyOf = ({ path, sha256 }: RecordedFile): string => `${sha256} ${path}`;

interface Opened {
  readonly database: DatabaseSync;
  /** The hashes of files from a path on. */
  readonly from: StatementSync;
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
    from: database.prepare(
      'SELECT path, stamp, digest FROM files WHERE path >= ? ORDER BY path LIMIT ?',
    ),
    set: database.prepare(
      'INSERT INTO files (path, stamp, digest) VALUES (?, ?, ?) ' +
        'ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, digest = excluded.digest',
    ),
    saved: database.prepare('SELECT 1 FROM saved WHERE path = ? AND digest = ?'),
    savedAt: database.prepare('SELECT 1 FROM saved WHERE path = ? LIMIT 1'),
    save: database.prepare('INSERT OR IGNORE INTO saved (path, digest) VALUES (?, ?)'),
  }),
};
