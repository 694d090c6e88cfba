// The repository of a pipeline file: the pipeline may read and write there without the user's permission.
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isWithin, realPathOr } from './real-path.ts';
import { isSystemProblem } from './system-error.ts';
import { homeFolder } from './user-folder.ts';

/**
 * The nearest folder above a pipeline's folder that contains `.git`, links followed, else the pipeline's folder itself.
 * A `.git` in the home folder or above it does not count: such a repository tracks settings, and would let a pipeline
 * read everything.
 */
export function repositoryOf(folder: string, home: string = homeFolder()): string {
  const own = realPathOr(folder);
  const realHome = realPathOr(home);
  for (let path = own; !isWithin(realHome, path); path = dirname(path)) {
    if (isThere(join(path, '.git'))) return path;
    if (dirname(path) === path) break;
  }
  return own;
}

/** False for what cannot be looked at, for example below a file: whoever opens the pipeline file says so. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isSystemProblem(error)) return false;
    throw error;
  }
}
