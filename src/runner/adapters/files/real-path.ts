// Where a path really is, links followed.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSystemTrouble, systemCode } from '../../../contract/files/system-error.ts';

/** The path itself where nothing can be followed. */
export function realPathOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (isSystemTrouble(error)) return path;
    throw error;
  }
}

/**
 * Where a path will really be that may not exist yet: the nearest folder above it that does, links followed, and the
 * rest. Undefined where a link on the way leads nowhere, or a folder cannot be entered.
 */
export function futureRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!isSystemTrouble(error)) throw error;
    if (systemCode(error) !== 'ENOENT' || isThere(path)) return undefined;
    const folder = futureRealPath(dirname(path));
    return folder === undefined ? undefined : join(folder, basename(path));
  }
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
