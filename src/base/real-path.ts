// Real paths: links followed.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { isSystemProblem, systemCode } from './system-error.ts';

/** The path itself if it cannot be resolved. */
export function realPathOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isSystemProblem(error)) return path;
    throw error;
  }
}

/**
 * The real path of a file that may not exist yet: the real path of its nearest existing parent, and the rest. Undefined
 * if a link on the way leads nowhere, or a folder cannot be entered.
 */
export function futureRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    if (systemCode(error) !== 'ENOENT' || isThere(path)) return undefined;
    const folder = futureRealPath(dirname(path));
    return folder === undefined ? undefined : join(folder, basename(path));
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Both paths must be absolute and contain no links. Also true for the folder itself. */
export function isWithin(path: string, folder: string): boolean {
  // Most are plainly below it, and `relative` takes both apart.
  if (path.startsWith(folder + sep) && !path.includes(`${sep}..`)) return true;
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
