// Opens and reads regular files only, up to a size. Reading a named pipe or a device could block or
// never end.
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { err, ok, type Result } from './result.ts';
import { systemReason } from './system-error.ts';

/**
 * Opening a named pipe waits for a writer, unless the system is told not to wait. Windows has no
 * such flag.
 */
const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Windows has no such flag. */
const readOwn = readOnly | (constants.O_NOFOLLOW ?? 0);

/** Thrown if the name belongs to something that is not a regular file. */
export class NotRegularFile extends Error {
  readonly code = 'NOT_REGULAR';
}

/** Throws if it is not a regular file. */
export function assertRegular(stats: Stats): void {
  const kind = kindOf(stats);
  if (kind !== undefined) throw new NotRegularFile(`is ${kind}, not a regular file`);
}

function kindOf(stats: Stats): string | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Opens a regular file, by default for reading. Throws system errors, and `NotRegularFile`. */
export async function openRegular(file: string, flags = readOnly): Promise<FileHandle> {
  const handle = await open(file, flags, 0o644);
  try {
    assertRegular(await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The descriptor of a regular file, for reading. Throws system errors, and `NotRegularFile`. */
export function openRegularSync(file: string): number {
  const descriptor = openSync(file, readOnly);
  try {
    assertRegular(fstatSync(descriptor));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/**
 * The bytes of a regular file of at most `max` bytes. The error is the end of a sentence about the
 * file.
 */
export function readRegularFile(
  file: string,
  { max }: { readonly max: number },
): Result<Buffer, string> {
  return readWith(readOnly, file, max);
}

/** The same for a file that only shotlist writes: does not follow a link. */
export function readOwnFile(
  file: string,
  { max }: { readonly max: number },
): Result<Buffer, string> {
  return readWith(readOwn, file, max);
}

function readWith(flags: number, file: string, max: number): Result<Buffer, string> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, flags);
    assertRegular(fstatSync(descriptor));
    const bytes = readAtMost(descriptor, max + 1);
    return bytes.length > max ? err(`is larger than ${sizeText(max)}`) : ok(bytes);
  } catch (error) {
    return err(systemReason(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The text of a file that contains one key or secret, at most 4 KB. */
export function readSecretFile(file: string): Result<string, string> {
  const read = readRegularFile(file, { max: 4_000 });
  return read.ok ? ok(read.value.toString('utf8').trim()) : read;
}

/** Ignores the reported size, because files below /proc report that they are empty. */
function readAtMost(descriptor: number, most: number): Buffer {
  const pieces: Buffer[] = [];
  for (let left = most; left > 0; ) {
    const piece = Buffer.allocUnsafe(Math.min(left, 1 << 16));
    const read = readSync(descriptor, piece);
    if (read === 0) break;
    pieces.push(piece.subarray(0, read));
    left -= read;
  }
  return Buffer.concat(pieces);
}

const sizeText = (bytes: number): string =>
  bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1_000} KB`;
