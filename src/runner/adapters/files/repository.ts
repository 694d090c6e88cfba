// The repository that a pipeline file belongs to: what it may read and write without a word from the user.
import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { realPathOr } from './real-path.ts';
import { isWithin } from './within.ts';

/**
 * The nearest folder above a pipeline's folder that holds `.git`, links followed, else that folder itself. A `.git` in
 * the home folder or above it does not count: it keeps settings, and would let a pipeline read everything.
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
