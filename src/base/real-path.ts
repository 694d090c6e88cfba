// Resolves paths with links followed.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
