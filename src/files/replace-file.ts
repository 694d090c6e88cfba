// Replaces the content of a file that a person named: all of it or nothing, with the permissions that the file has.
import { lstatSync } from 'node:fs';
import { access, constants, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makeFolder } from '../base/folder.ts';
import { removeLeftover } from '../base/leftover.ts';
import { futureRealPath, isWithin, realPathOr } from '../base/real-path.ts';
import { repositoryOf } from '../base/repository.ts';
import { systemCode } from '../base/system-error.ts';
import { createNew } from './new-file.ts';
import { syncFolder } from './output-folders.ts';

/**
 * Where the content of a file really is: a link in a repository may lead to another file of the repository, but not to a
 * file outside, which somebody else chose. The error is the end of a sentence about the file.
 */
export function placeOf(file: string): { readonly place: string } | { readonly refused: string } {
  const path = resolve(file);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() !== true) return { place: path };
  const real = futureRealPath(path);
  if (real === undefined) return { refused: 'is a link that leads nowhere' };
  if (!isWithin(realPathOr(real), repositoryOf(dirname(path))))
    return { refused: 'is a link to a file outside the repository' };
  return { place: real };
}

/** `place` is absolute and no link. Creates the file, and its folder, if there is none. Throws system errors. */
export async function replaceFile(place: string, text: string | Uint8Array): Promise<void> {
  const mode = await modeOf(place);
  if (mode === undefined) makeFolder(dirname(place));
  const part = `${place}.part`;
  try {
    await using handle = await createNew(part);
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
    await rename(part, place);
  } catch (error) {
    await removeLeftover(part);
    throw error;
  }
  await syncFolder(dirname(place));
}

/** Undefined if there is no file. A file that is read-only stays so: a rename would not ask. */
async function modeOf(place: string): Promise<number | undefined> {
  try {
    await access(place, constants.W_OK);
    return (await stat(place)).mode & 0o7777;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
