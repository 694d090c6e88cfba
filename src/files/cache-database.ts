// An SQLite database that only caches: a damaged one is discarded, and one that cannot be written is only read. Without
// either, and while another program has it locked, the cache is in memory, for this process only.
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
export const isSqlite = (error: unknown): error is Error & { readonly errcode: unknown } =>
  error instanceof Error && 'errcode' in error;

/** SQLite's result; the other bytes say more of it. */
const codeOf = (error: unknown): number | undefined =>
  isSqlite(error) ? Number(error.errcode) & 0xff : undefined;

/** SQLITE_ERROR (the tables are others), SQLITE_CORRUPT, SQLITE_NOTADB. Whatever else fails may pass. */
export const isDamage = (error: unknown): boolean => [1, 11, 26].includes(codeOf(error) ?? 0);

/** SQLITE_BUSY. */
const isBusy = (error: unknown): boolean => codeOf(error) === 5;

/** SQLITE_READONLY: of a file that another user has made. */
const readOnly = 8;

/** `file` must be in an existing folder; undefined: in memory. */
export function openCache<T>(file: string | undefined, tables: CacheTables<T>): T {
  if (file === undefined) return open(':memory:', tables);
  try {
    return openOrReplace(file, tables);
  } catch (error) {
    if (!isSqlite(error)) throw error;
    return openCacheToRead(isBusy(error) ? undefined : file, tables);
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
    if (!isDamage(error) && codeOf(error) !== readOnly) throw error;
    discardCache(file);
    return open(file, tables);
  }
}

/** If the disk refuses, for example because it is read-only, the file stays. */
export function discardCache(file: string): void {
  try {
    // Not rmSync: on a read-only file system, its error has no code.
    for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) unlinkSync(path);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
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
