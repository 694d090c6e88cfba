// Files that shotlist makes under names that a repository could have planted: as links, for example, through which a
// write would reach another file.
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { systemCode } from './system-error.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** Windows has no such flag, and a link there needs a privilege. */
export const noFollow = constants.O_NOFOLLOW ?? 0;

/**
 * Makes a file and opens it for writing, with `flags` besides. What stands under its name goes, and is never written
 * to: a leftover of a killed run, or a link. Throws what the system throws, for a folder too.
 */
export async function createNew(file: string, flags = 0): Promise<FileHandle> {
  const exclusive = flags | O_CREAT | O_EXCL | O_WRONLY | noFollow;
  try {
    return await open(file, exclusive, 0o644);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    // Removes the name alone, also of a link.
    await unlink(file);
    return await open(file, exclusive, 0o644);
  }
}
