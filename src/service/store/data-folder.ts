// Where the service keeps its data: a data folder, or a temporary folder and a database in memory.

import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder, oddEntryIn } from '../../base/folder.ts';
import { isWithin, realPathOr } from '../../base/real-path.ts';
import { readOwnFile, readSecretFile } from '../../base/regular-file.ts';
import { systemCode, systemReason } from '../../base/system-error.ts';
import { userFolder } from '../../base/user-folder.ts';
import { type Database, openDatabase } from './database.ts';

export interface DataFolder {
  readonly folder: string;
  /** The same at each start, and nowhere in the folder. Undefined for a temporary folder, and for a rehearsal's. */
  readonly secret: string | undefined;
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
    return { folder, secret: undefined, database, leave };
  }
  makeOwn(data);
  try {
    const database = openDatabase(join(data, databaseName));
    tightenFiles(data, databaseName);
    return { folder: data, secret: secretOf(data), database, leave: database.close };
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

/** The service trusts the content of the folder and removes unknown files from it, so it must have made the folder. */
function makeOwn(data: string): void {
  const stats = orFolderError(data, () => lstatSync(data, { throwIfNoEntry: false }));
  if (stats?.isSymbolicLink() === true)
    throw new DataFolderError(
      `The folder ${data} is a link. Name the folder that the link leads to.`,
    );
  // A service that was killed may have left half an id.
  const isNew =
    stats === undefined ||
    orFolderError(data, () => readdirSync(data).every((name) => name === idName));
  if (!isNew && !isOwn(data))
    throw new DataFolderError(
      `The folder ${data} holds files, and no local service created it for you on this machine. Name a new or empty folder.`,
    );
  // The folder holds the secrets that sign events and addresses.
  if (stats !== undefined && !tightenFolder(data))
    throw new DataFolderError(
      `The data folder ${data} belongs to another user, and others can use it. Name a folder of your own.`,
    );
  orFolderError(data, () => makeFolder(data, 0o700));
  if (!isOwn(data)) markAsOwn(data);
  // Below these folders, the service removes nothing by path.
  const odd = orFolderError(data, () => oddEntryIn(data, (folder) => dirname(folder) === data));
  if (odd !== undefined)
    throw new DataFolderError(
      `${odd.path} in a data folder is ${odd.is === 'link' ? 'a link' : 'not a regular file'}. Remove it.`,
    );
}

// A data folder may be anywhere, even in a repository. It has a random id, and the user's state folder has a secret for each id
// that was made here. A folder whose id has no secret comes from somebody else.

const idName = 'id';

const isOwn = (data: string): boolean => isPrivate(data) || secretOf(data) !== undefined;

/** True for a rehearsal: what is in the user's state folder was made by this user. */
const isPrivate = (data: string): boolean => isWithin(realPathOr(data), realPathOr(userFolder()));

/** Undefined if no local service made the folder for this user. */
function secretOf(data: string): string | undefined {
  const read = readOwnFile(join(data, idName), { max: 100 });
  const id = read.ok ? read.value.toString('utf8') : '';
  if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
  const secret = readSecretFile(join(secretsFolder(), id));
  return secret.ok && /^[0-9a-f]{64}$/.test(secret.value) ? secret.value : undefined;
}

const secretsFolder = (): string => join(userFolder(), 'services');

function markAsOwn(data: string): void {
  const id = randomBytes(16).toString('hex');
  const folder = secretsFolder();
  try {
    makeFolder(folder, 0o700);
    const secret = randomBytes(32).toString('hex');
    writeFileSync(join(folder, id), secret, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    throw new DataFolderError(
      `The data folder ${data} can't be remembered as yours: ${folder} ${systemReason(cause)}. ` +
        'Set XDG_STATE_HOME to a folder that you can write to.',
      { cause },
    );
  }
  orFolderError(data, () => {
    const file = join(data, idName);
    rmSync(file, { force: true });
    writeFileSync(file, id, { flag: 'wx', mode: 0o600 });
  });
}

function orFolderError<T>(data: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = systemCode(cause);
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    const why = isFile ? 'is a file, not a folder' : systemReason(cause);
    throw new DataFolderError(`The data folder ${data} ${why}.`, { cause });
  }
}

class DataFolderError extends Error {
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
