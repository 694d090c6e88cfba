// Where the service keeps its data: a data folder, or a temporary folder and a database in memory.

import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { oddEntryIn } from '../../base/odd-entries.ts';
import { claimFolder, OwnerKeyError, type Ownership, ownershipOf } from '../../base/owner.ts';
import { systemCode, systemReason } from '../../base/system-error.ts';
import { type Database, openDatabase } from './database.ts';

export interface DataFolder {
  readonly folder: string;
  readonly database: Database;
  /** Closes the database; a temporary folder is removed. */
  leave(): Promise<void>;
}

const databaseName = 'service.sqlite';

/** Throws a `DataFolderError` if the folder cannot be opened, is in use, or belongs to somebody else. */
export async function openDataFolder(data: string | undefined): Promise<DataFolder> {
  if (data === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'shotlist-service-'));
    const database = openDatabase(undefined);
    const leave = async (): Promise<void> => {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    };
    return { folder, database, leave };
  }
  makeOwn(data);
  try {
    const database = openDatabase(join(data, databaseName));
    tightenFiles(data, databaseName);
    return { folder: data, database, leave: database.close };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : `${cause}`;
    const inUse = /locked|busy/i.test(why);
    throw new DataFolderError(
      inUse
        ? `The data folder ${data} is in use by another local service. Stop that service, or name another folder.`
        : `The data folder ${data} can't be opened: ${why}`,
      { cause },
    );
  }
}

/** The service trusts the content of the folder and removes unknown files from it, so it must be the service's own. */
function makeOwn(data: string): void {
  // The folder holds the secrets that sign events and addresses.
  const was = orFolderError(data, () => ownershipOf(data));
  requireOwn(data, was);
  if (was !== 'absent' && !tightenFolder(data))
    throw new DataFolderError(
      `The data folder ${data} belongs to another user, and others can use it. Name a folder of your own.`,
    );
  requireOwn(
    data,
    orFolderError(data, () => claimFolder(data, 0o700)),
  );
  // Below these folders, the service removes nothing by path.
  const odd = orFolderError(data, () => oddEntryIn(data, (folder) => dirname(folder) === data));
  if (odd !== undefined)
    throw new DataFolderError(
      `${odd.path} in a data folder is ${odd.is === 'link' ? 'a link' : 'not a regular file'}. Remove it.`,
    );
}

function requireOwn(data: string, ownership: Ownership): void {
  const why = ownershipErrors[ownership];
  if (why !== undefined) throw new DataFolderError(`The folder ${data} ${why(data)}`);
}

const ownershipErrors: Readonly<Partial<Record<Ownership, (data: string) => string>>> = {
  foreign: (data) =>
    'holds files, and no local service created it for you on this machine. Name a new or empty folder. If the folder ' +
    `holds data of an older version, or you copied it, run: shotlist trust --folder ${data}`,
  link: () => 'is a link. Name the folder that the link leads to.',
};

function orFolderError<T>(data: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof OwnerKeyError)
      throw new DataFolderError(
        `The data folder ${data} can't be marked as yours: ${cause.message}. ` +
          'Set XDG_STATE_HOME to a folder that you can write to.',
        { cause },
      );
    const code = systemCode(cause);
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    const why = isFile ? 'is a file, not a folder' : systemReason(cause);
    throw new DataFolderError(`The data folder ${data} ${why}.`, { cause });
  }
}

export class DataFolderError extends Error {
  readonly code = 'DATA_FOLDER';
}

// Restricts the data folder to its owner: it holds photos of people, and the secrets that sign events and addresses.

/** Removes other users' access to a folder. False if another user owns the folder, who could restore the access. */
function tightenFolder(folder: string): boolean {
  const { mode, uid } = lstatSync(folder);
  if ((mode & 0o077) === 0) return true;
  const own = process.getuid?.();
  // On a system without users, modes mean nothing.
  if (own === undefined) return true;
  if (own !== 0 && uid !== own) return false;
  tighten(folder, 0o700);
  return true;
}

/** The same for the files of a folder whose names begin with a prefix. */
function tightenFiles(folder: string, beginning: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isFile() && entry.name.startsWith(beginning))
      tighten(join(folder, entry.name), 0o600);
}

function tighten(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    // A file system without modes, such as that of a USB stick: the user can't change that.
    const code = systemCode(error);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EROFS') throw error;
  }
}
