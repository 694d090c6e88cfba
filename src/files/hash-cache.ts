// Remembers the hashes of files by path, size, times and inode, so that a second run reads no media, and which outputs
// have been in this checkout.
import type { BigIntStats } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { type Digest, digestFrom } from '../base/digest.ts';
import type { RecordedFile } from '../core/disk-facts.ts';
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
/** A forgotten hash is read again: a look into the database takes longer than one at the file. */
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
  /** What this turn of the event loop has done: read nothing, read a row, or begun a transaction to read many. */
  #turn: 'new' | 'read' | 'transaction' = 'new';
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
    const near = this.#near(path);
    if (near?.stamp === stamp) return near.digest;
    const row = this.#read(path);
    if (row?.['stamp'] !== stamp) return undefined;
    const digest = digestFrom(String(row['digest']));
    this.#recall(path, { stamp, digest });
    return digest;
  }

  #near(path: string): CachedHash | undefined {
    return this.#young.get(path) ?? this.#recent.get(path) ?? this.#unwritten.get(path);
  }

  #recall(path: string, entry: CachedHash): void {
    if (this.#recent.size >= maxRecent) this.#recent.clear();
    this.#recent.set(path, entry);
  }

  /** In a transaction, reading a row takes a sixth of the time, so many rows of one turn of the event loop share one. */
  #read(path: string): Row {
    return this.#ask(({ database, get }) => {
      if (this.#turn === 'new') {
        this.#turn = 'read';
        void this.#endTurn();
      } else if (this.#turn === 'read') {
        database.exec('BEGIN');
        this.#turn = 'transaction';
      }
      return get.get(path);
    });
  }

  /** Undefined, too, if the database fails. */
  #ask(question: (opened: Opened) => Row): Row {
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
    if (this.#turn === 'transaction') this.#turn = 'read';
    if (this.#file !== undefined && isDamage(error)) discardCache(this.#file);
  }

  async #endTurn(): Promise<void> {
    await setImmediate();
    this.#endReading();
    this.#turn = 'new';
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
    return (this.#near(path)?.digest ?? this.#read(path)?.['digest']) === sha256;
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
    this.#endReading();
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
    this.#endReading();
    if (this.#unwritten.size + this.#saved.size > 0) this.#write(this.#unwritten);
    this.#o.database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const keyOf = ({ path, sha256 }: RecordedFile): string => `${sha256} ${path}`;

type Row = ReturnType<StatementSync['get']>;

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
