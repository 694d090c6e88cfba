// What shotlist remembers about a pipeline's folder, and trusts: caches, and the local service's data of rehearsals. It is in
// the user's state folder, where no repository can plant anything.
import { existsSync, lstatSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOfBytes } from '../base/digest.ts';
import { makeFolder } from '../base/folder.ts';
import { realPathOr } from '../base/real-path.ts';
import { readOwnFile } from '../base/regular-file.ts';
import { isSystemProblem } from '../base/system-error.ts';
import { userFolder } from '../base/user-folder.ts';

/** A file with the path of the pipeline's folder. Its time says when the private folder was last used. */
const pathName = 'path';

const unusedMs = 30 * 24 * 60 * 60 * 1000;

const privateFolders = (): string => join(userFolder(), 'folders');

/** Named by the real path of the pipeline's folder: a folder that was moved has another one. It need not exist. */
export const privateFolderOf = (folder: string): string =>
  join(privateFolders(), digestOfBytes(realPathOr(folder)).slice(0, 32));

/** Makes the private folder of a pipeline's folder if it is missing. Throws system errors. */
export function makePrivateFolder(folder: string): void {
  const own = privateFolderOf(folder);
  if (!existsSync(own)) removeUnused();
  makeFolder(own, 0o700);
  const [file, path] = [join(own, pathName), realPathOr(folder)];
  // A full disk would take the old text and not take the new one.
  if (pathIn(file) !== path) writeFileSync(file, path, { mode: 0o600 });
  // By our own clock: a server has another one.
  const now = new Date();
  utimesSync(file, now, now);
}

function pathIn(file: string): string | undefined {
  const read = readOwnFile(file, { max: 1 << 16 });
  return read.ok ? read.value.toString('utf8') : undefined;
}

/** A folder of a pipeline may be on a drive that is not connected today, or on another host with the same home. */
function removeUnused(): void {
  try {
    for (const name of readdirSync(privateFolders())) {
      const file = join(privateFolders(), name, pathName);
      const stats = lstatSync(file, { throwIfNoEntry: false });
      if (stats === undefined || Date.now() - stats.mtimeMs < unusedMs) continue;
      const path = pathIn(file);
      if (path !== undefined && existsSync(path)) continue;
      rmSync(join(privateFolders(), name), { recursive: true, force: true });
    }
  } catch (error) {
    // There are none yet, or the next command can do it.
    if (!isSystemProblem(error)) throw error;
  }
}
