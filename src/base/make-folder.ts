// Makes a folder and its missing parents, one by one. Node's own recursive mkdir loops forever on
// file systems such as /proc that report a new folder as missing, and no signal ends it.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCode } from './system-error.ts';

/** Thrown with a code that `systemReason` knows. */
class CannotMake extends Error {
  readonly code: 'ENOTDIR' | 'ENOTSUP';

  constructor(folder: string, code: CannotMake['code'], cause: unknown) {
    super(folder, { cause });
    this.code = code;
  }
}

/** Throws system errors. An existing folder is not an error. */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let path = resolve(folder); !isFolder(path); path = dirname(path)) missing.push(path);
  for (const path of missing.reverse()) {
    try {
      mkdirSync(path, mode);
    } catch (error) {
      const code = systemCode(error);
      // Another process may have made the folder in the meantime.
      if (code === 'EEXIST' && isFolder(path)) continue;
      if (code === 'EEXIST' && path !== missing.at(-1))
        throw new CannotMake(path, 'ENOTDIR', error);
      throw code === 'ENOENT' ? new CannotMake(path, 'ENOTSUP', error) : error;
    }
  }
}

/** False if there is nothing, or a file. */
function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
