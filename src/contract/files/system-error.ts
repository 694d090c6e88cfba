// What the system says when a file cannot be had, as the end of a sentence about that file.

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read or written (permission denied)',
  EPERM: 'may not be changed (operation not permitted)',
  EISDIR: 'is a folder',
  ENOTDIR: 'is below something that is not a folder',
  EEXIST: 'is there already and is not a folder',
  ENOSPC: 'could not be written: the disk is full',
  EDQUOT: 'could not be written: the quota is used up',
  EROFS: 'could not be written: the file system is read-only',
  ENAMETOOLONG: 'has too long a name',
  ELOOP: 'is a link that leads back to itself',
  EMFILE: 'could not be opened: too many open files',
  ENFILE: 'could not be opened: too many open files on this machine',
  ENXIO: 'is a socket or a device, not a regular file',
  ENOTSUP: 'could not be made: this file system takes no new folders',
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

/** There is no room: the disk is full, or what this user may have of it. */
export function isFull(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** The disk is to blame, and not the choice of a file or a folder. */
export const isFailingDisk = (error: unknown): boolean =>
  isFull(error) || systemCode(error) === 'EIO';

/** What to do about it, before anything was sent. */
export const failingDiskCure = 'nothing was sent; make room or check the disk, then run again';

/** Trouble that this machine has with a file, and a person can mend; anything else is a bug. */
export function isSystemTrouble(error: unknown): boolean {
  const code = systemCode(error);
  return code !== undefined && Object.hasOwn(reasons, code);
}

const ofTheMachine = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);
const ofTheFolder = new Set(['EACCES', 'EPERM']);

/**
 * Trouble that the next file would meet too. What may not be read is that one file's own trouble; what may not be
 * written is mostly a folder, with all that shall land in it.
 */
export function isMachineTrouble(error: unknown, doing: 'reading' | 'writing'): boolean {
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
