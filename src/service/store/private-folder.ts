// Restricts the data folder to its owner: it holds photos of people, and the secrets that sign events and addresses.
import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../contract/files/system-error.ts';

/** Removes other users' access to a folder. False if another user owns the folder, who could restore the access. */
export function tightenFolder(folder: string): boolean {
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
export function tightenFiles(folder: string, beginning: string): void {
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
