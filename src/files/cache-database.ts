// An SQLite database that only caches: an unreadable one is discarded, and one that cannot be written is only read. Without
// either, the cache is in memory, for this process only.
import { existsSync, unlinkSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isSystemProblem } from '../base/system-error.ts';

export interface CacheTables<T> {
  /** Creates the tables that do not exist. */
  readonly create: string;
  readonly prepare: (database: DatabaseSync) => T;
}

/** A problem of the database or its file: no bug. */
export const isSqlite = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error;

/** `file` must be in an existing folder; undefined: in memory. */
export function openCache<T>(file: string | undefined, tables: CacheTables<T>): T {
  if (file === undefined) return open(':memory:', tables);
  try {
    return openOrReplace(file, tables);
  } catch (error) {
    if (!isSqlite(error) && !isSystemProblem(error)) throw error;
    return openCacheToRead(file, tables);
  }
}

/** Nothing is written or created. */
export function openCacheToRead<T>(file: string | undefined, tables: CacheTables<T>): T {
  if (file === undefined || !existsSync(file)) return open(':memory:', tables);
  // Without a log of changes, the file alone is complete, and SQLite needs no files beside it.
  const alone = !existsSync(`${file}-wal`);
  const address = pathToFileURL(file);
  if (alone) address.searchParams.set('immutable', '1');
  try {
    return prepared(new DatabaseSync(address, { readOnly: true, timeout: 1000 }), tables);
  } catch (error) {
    if (!isSqlite(error)) throw error;
    return open(':memory:', tables);
  }
}

function openOrReplace<T>(file: string, tables: CacheTables<T>): T {
  try {
    return open(file, tables);
  } catch (error) {
    if (!isSqlite(error)) throw error;
    // Not rmSync: on a read-only file system, its error has no code.
    for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) unlinkSync(path);
    return open(file, tables);
  }
}

function open<T>(file: string, tables: CacheTables<T>): T {
  const database = new DatabaseSync(file, { timeout: 1000 });
  try {
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000; ' +
        tables.create,
    );
  } catch (error) {
    database.close();
    throw error;
  }
  return prepared(database, tables);
}

function prepared<T>(database: DatabaseSync, { prepare }: CacheTables<T>): T {
  try {
    return prepare(database);
  } catch (error) {
    database.close();
    throw error;
  }
}
