// Where a service keeps everything: a folder of its own, or a temporary one and a database in memory.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../edge/make-folder.ts';
import { systemCode, systemReason } from '../edge/system-error.ts';
import { type Database, openDatabase } from './database.ts';
import { tightenFiles, tightenFolder } from './private-folder.ts';

export interface DataFolder {
  readonly folder: string;
  readonly database: Database;
  /** Closes the database; a temporary folder is removed. */
  leave(): Promise<void>;
}

const databaseName = 'service.sqlite';

/** Throws a `DataFolderError` when it cannot be had, is in use, or is somebody else's. */
export async function openDataFolder(data: string | undefined): Promise<DataFolder> {
  if (data === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'shotlist-service-'));
    const database = openDatabase(undefined);
    const leave = async (): Promise<void> => {
      database.close();
      await rm(folder, { recursive: true, force: true });
    };
    return { folder, database, leave };
  }
  await makeOwn(data);
  try {
    const database = openDatabase(join(data, databaseName));
    tightenFiles(data, databaseName);
    return { folder: data, database, leave: async () => database.close() };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : `${cause}`;
    const inUse = /locked|busy/i.test(why);
    throw new DataFolderError(
      inUse
        ? `The data folder ${data} is used by another local service: stop that one, or name another folder.`
        : `The data folder ${data} cannot be opened: ${why}`,
      { cause },
    );
  }
}

/** The service removes files below its folder that it does not know: it must not be a folder of other things. */
async function makeOwn(data: string): Promise<void> {
  let names: readonly string[];
  try {
    // It holds the secrets that sign events and addresses.
    makeFolder(data, 0o700);
    names = await readdir(data);
  } catch (cause) {
    const why = systemCode(cause) === 'EEXIST' ? 'is a file, not a folder' : systemReason(cause);
    throw new DataFolderError(`The data folder ${data} ${why}.`, { cause });
  }
  if (names.length > 0 && !names.includes(databaseName))
    throw new DataFolderError(
      `The folder ${data} holds other files and no data of a local service: name one that is new or empty.`,
    );
  if (!tightenFolder(data))
    throw new DataFolderError(
      `The data folder ${data} belongs to another user and is open to others: name a folder of your own.`,
    );
}

export class DataFolderError extends Error {
  readonly code = 'DATA_FOLDER';
}
