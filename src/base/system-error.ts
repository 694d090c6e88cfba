// Describes errors of the operating system, as the end of a sentence about a file.

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read or written (permission denied)',
  EPERM: 'cannot be changed (operation not permitted)',
  EISDIR: 'is a folder',
  ENOTDIR: 'is below something that is not a folder',
  EEXIST: 'already exists and is not a folder',
  ENOSPC: 'could not be written: the disk is full',
  EDQUOT: 'could not be written: the quota is used up',
  EROFS: 'could not be written: the file system is read-only',
  ENAMETOOLONG: 'has a name that is too long',
  ELOOP: 'is a link that leads back to itself',
  EMFILE: 'could not be opened: too many open files',
  ENFILE: 'could not be opened: too many open files on this machine',
  ENXIO: 'is a socket or a device, not a regular file',
  ENOTSUP: 'could not be created: this file system does not allow new folders',
  EIO: 'could not be read or written: the device failed (input/output error)',
};

/** SQLITE_FULL: a database has no room on its disk. */
const databaseFull = 13;

/** The system's error code, such as ENOENT; undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  if (error instanceof Error && 'errcode' in error && error.errcode === databaseFull)
    return 'ENOSPC';
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** True if the disk is full, or the user's quota is used up. */
export function isFull(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** True if the disk is the cause, not the choice of a file or folder. */
export const isFailingDisk = (error: unknown): boolean =>
  isFull(error) || systemCode(error) === 'EIO';

/** The advice, if nothing was sent yet. */
export const failingDiskCure =
  'nothing was sent; free some space or check the disk, then run again';

/** True for a problem with a file that a person can fix; anything else is a bug. */
export function isSystemProblem(error: unknown): boolean {
  const code = systemCode(error);
  return code !== undefined && Object.hasOwn(reasons, code);
}

const ofTheMachine = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);
const ofTheFolder = new Set(['EACCES', 'EPERM']);

/**
 * True for a problem that the next file would have, too. If a file cannot be read, only that file
 * is affected; if it cannot be written, usually the whole folder is.
 */
export function isMachineProblem(error: unknown, doing: 'reading' | 'writing'): boolean {
  const code = systemCode(error);
  if (code === undefined) return false;
  return ofTheMachine.has(code) || (doing === 'writing' && ofTheFolder.has(code));
}

export function systemReason(error: unknown): string {
  const code = systemCode(error);
  if (code !== undefined && reasons[code] !== undefined) return reasons[code];
  if (error instanceof Error && code === 'NOT_REGULAR') return error.message;
  return error instanceof Error ? `failed: ${error.message}` : `failed: ${String(error)}`;
}
