// Creates files whose names a repository could have planted, for example as links through which a write would reach
// another file.
import { constants, open as openDescriptor, unlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { openRegular } from '../base/regular-file.ts';
import { systemCode } from '../base/system-error.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** Windows has no such flag, and creating a link there requires a privilege. */
const noFollow = constants.O_NOFOLLOW ?? 0;
/** Opening a named pipe blocks until the other end is open, unless this flag is set. Windows has no such flag. */
const noWait = constants.O_NONBLOCK ?? 0;

/** More than the number of processes that ever create the same file at the same time. */
const maxAttempts = 10;

/** A new file with a name that nothing has; never through a link. */
const creating = O_CREAT | O_EXCL | O_WRONLY | noFollow;
const mode = 0o644;

/**
 * Creates a file and opens it for writing. Removes whatever has this name, such as a link or the leftover of a killed
 * run, and never writes to it. Throws system errors, also if a folder has this name.
 */
export const createNew = (file: string): Promise<FileHandle> =>
  replacing(file, () => open(file, creating, mode));

/** The same; resolves to the descriptor, which costs less. */
export const createNewDescriptor = (file: string): Promise<number> =>
  replacing(
    file,
    () =>
      new Promise((resolve, reject) => {
        openDescriptor(file, creating, mode, (error, descriptor) =>
          error === null ? resolve(descriptor) : reject(error),
        );
      }),
  );

/** As long as the name is taken, removes only the name, also of a link. */
async function replacing<T>(file: string, create: () => Promise<T>): Promise<T> {
  for (let left = maxAttempts; ; left--) {
    try {
      return await create();
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || left === 0) throw error;
      removeName(file);
    }
  }
}

function removeName(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    // If the error is ENOENT, another process has removed it.
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/**
 * Opens a file that only shotlist writes; never follows a link. Throws system errors (ELOOP for a link), and
 * `NotRegularFile`.
 */
export function openOwn(file: string, flags: number): Promise<FileHandle> {
  return openRegular(file, flags | noFollow | noWait);
}
