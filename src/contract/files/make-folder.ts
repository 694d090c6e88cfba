// Makes a folder with the folders above it, one by one: Node's own recursive mkdir tries for ever where a file system,
// such as /proc, says of a new folder that it does not exist, and no signal ends it.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCode } from './system-error.ts';

/** Thrown, with a code that `systemReason` knows. */
class CannotMake extends Error {
  readonly code: 'ENOTDIR' | 'ENOTSUP';

  constructor(folder: string, code: CannotMake['code'], cause: unknown) {
    super(folder, { cause });
    this.code = code;
  }
}

/** Throws what the system throws; a folder that is there already is none of it. */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let path = resolve(folder); !isFolder(path); path = dirname(path)) missing.push(path);
  for (const path of missing.reverse()) {
    try {
      mkdirSync(path, mode);
    } catch (error) {
      const code = systemCode(error);
      // Another process may have made it meanwhile.
      if (code === 'EEXIST' && isFolder(path)) continue;
      if (code === 'EEXIST' && path !== missing.at(-1))
        throw new CannotMake(path, 'ENOTDIR', error);
      throw code === 'ENOENT' ? new CannotMake(path, 'ENOTSUP', error) : error;
    }
  }
}

/** False: nothing is there, or a file. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
