// Removes a file only if it still has the content that was recorded, and never follows a link.
import { createHash } from 'node:crypto';
import { constants, lstatSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { NotRegularFile } from '../../../contract/files/regular-file.ts';
import { isSystemProblem, systemCode, systemReason } from '../../../contract/files/system-error.ts';
import { openOwn } from './new-file.ts';
import { syncFolder } from './output-folders.ts';

/** A file with verified content. */
export interface Removable {
  readonly path: string;
  /** Changes with the content. */
  readonly stamp: string;
}

const changed = 'was changed: left alone';

/** Reads the whole file. The error is the end of a sentence about the file. */
export async function verified(path: string, sha256: string): Promise<Result<Removable, string>> {
  return await attempt(async () => {
    await using file = await openOwn(path, constants.O_RDONLY);
    const stats = await file.stat({ bigint: true });
    const hash = createHash('sha256');
    for await (const piece of file.createReadStream({ autoClose: false })) hash.update(piece);
    const stamp = `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`;
    return hash.digest('hex') === sha256 ? ok({ path, stamp }) : err(changed);
  });
}

/** Removes a verified file, unless it was changed meanwhile. A file that is gone already is no failure. */
export async function remove({ path, stamp }: Removable): Promise<Result<void, string>> {
  return await attempt(async () => {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return ok(undefined);
    if (`${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}` !== stamp) return err(changed);
    await unlink(path);
    await syncFolder(dirname(path));
    return ok(undefined);
  });
}

async function attempt<T>(work: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
  try {
    return await work();
  } catch (error) {
    if (systemCode(error) === 'ELOOP') return err('is a link now: left alone');
    if (error instanceof NotRegularFile) return err(error.message);
    if (isSystemProblem(error)) return err(systemReason(error));
    throw error;
  }
}
