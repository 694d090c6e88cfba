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
  EFBIG: 'could not be written: the file system takes no file of this size',
  EINVAL: 'could not be opened or written: the file system does not take the name or the request',
  EILSEQ: 'could not be written: the file system does not take the name',
};

/** Of a USB disk that was pulled out, a network drive without its server, a FUSE mount whose process died. */
const goneDrive =
  'could not be read or written: the drive is gone or does not answer; connect it again, or mount it again';

/** Codes of a drive. libuv has no names for some numbers of Linux, among them that of a stale handle of NFS. */
const ofTheDrive: ReadonlySet<string> = new Set([
  ...[
    'ENOTCONN',
    'ESTALE',
    'ENODEV',
    'EHOSTDOWN',
    'ESHUTDOWN',
    'EREMOTEIO',
    'ENOMEDIUM',
    'ENOLINK',
  ],
  ...['EBUSY', 'ECANCELED', 'UNKNOWN'],
]);

const isOfTheDrive = (code: string): boolean =>
  ofTheDrive.has(code) || code.startsWith('Unknown system error');

/** Calls on files. A network's errors have other codes, and are never asked about here. */
const isOfFiles = (error: Error): boolean =>
  'syscall' in error && fileCalls.has(String(error.syscall));

const fileCalls: ReadonlySet<string> = new Set([
  ...[
    'open',
    'read',
    'write',
    'close',
    'fsync',
    'fdatasync',
    'ftruncate',
    'stat',
    'lstat',
    'fstat',
  ],
  ...['mkdir', 'rename', 'unlink', 'link', 'symlink', 'readlink', 'realpath', 'scandir', 'opendir'],
  ...['access', 'chmod', 'fchmod', 'futime', 'utime', 'copyfile', 'rmdir', 'mkdtemp', 'statfs'],
]);

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
  isFull(error) || isOfTheDrive(systemCode(error) ?? '') || systemCode(error) === 'EIO';

/** The advice, if nothing was sent yet. */
export const failingDiskCure =
  'nothing was sent; free some space or check the disk, then run again';

/** True for a problem with a file that a person can fix; anything else is a bug. */
export function isSystemProblem(error: unknown): boolean {
  const code = systemCode(error);
  if (code === undefined) return false;
  return (
    Object.hasOwn(reasons, code) ||
    (isOfTheDrive(code) && error instanceof Error && isOfFiles(error))
  );
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
  if (isOfTheDrive(code) && error instanceof Error && isOfFiles(error)) return true;
  return ofTheMachine.has(code) || (doing === 'writing' && ofTheFolder.has(code));
}

export function systemReason(error: unknown): string {
  const code = systemCode(error);
  if (code !== undefined && reasons[code] !== undefined) return reasons[code];
  if (code !== undefined && isOfTheDrive(code)) return `${goneDrive} (${code})`;
  if (error instanceof Error && code === 'NOT_REGULAR') return error.message;
  return error instanceof Error ? `failed: ${error.message}` : `failed: ${String(error)}`;
}
