// Files that shotlist makes under names that a repository could have planted: as links, for example, through which a
// write would reach another file.
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { openRegular } from '../../../contract/files/regular-file.ts';
import { systemCode } from '../../../contract/files/system-error.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** Windows has no such flag, and a link there needs a privilege. */
const noFollow = constants.O_NOFOLLOW ?? 0;
/** Opening a named pipe waits for the other end, unless the system is told not to wait. Windows has no such flag. */
const noWait = constants.O_NONBLOCK ?? 0;

/** More processes than ever make the same file at the same time. */
const attempts = 10;

/**
 * Makes a file and opens it for writing, with `flags` besides. What stands under its name goes, and is never written
 * to: a leftover of a killed run, or a link. Throws what the system throws, for a folder too.
 */
export async function createNew(file: string, flags = 0): Promise<FileHandle> {
  for (let left = attempts; ; left--) {
    try {
      return await open(file, flags | O_CREAT | O_EXCL | O_WRONLY | noFollow, 0o644);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || left === 0) throw error;
    }
    try {
      // Removes the name alone, also of a link.
      await unlink(file);
    } catch (error) {
      // Another process has removed it.
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }
}

/**
 * Opens a file that only shotlist writes: never through a link. Throws what the system throws (ELOOP for a link), and
 * `NotRegularFile`.
 */
export function openOwn(file: string, flags: number): Promise<FileHandle> {
  return openRegular(file, flags | noFollow | noWait);
}
