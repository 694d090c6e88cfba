// The repository of a pipeline file: the pipeline may read and write there without the user's permission.
import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { realPathOr } from './real-path.ts';
import { isWithin } from './within.ts';

/**
 * The nearest folder above a pipeline's folder that contains `.git`, links followed, else the pipeline's folder itself.
 * A `.git` in the home folder or above it does not count: such a repository tracks settings, and would let a pipeline
 * read everything.
 */
export function repositoryOf(folder: string, home: string = homedir()): string {
  const own = realPathOr(folder);
  const realHome = realPathOr(home);
  for (let path = own; !isWithin(realHome, path); path = dirname(path)) {
    if (lstatSync(join(path, '.git'), { throwIfNoEntry: false }) !== undefined) return path;
    if (dirname(path) === path) break;
  }
  return own;
}
