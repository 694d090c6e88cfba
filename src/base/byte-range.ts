// Which bytes of a file a request asks for, and which version of the file they are of. Not by @fastify/send: its entity tags
// are weak, and it accepts any later date in If-Range, so that a resumed download could join two versions of a file.
import { stat } from 'node:fs/promises';

/** Both ends are included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface FileVersion {
  /** Bytes. */
  readonly size: number;
  /** Differs between all files that ever had this name: files are written whole and renamed. */
  readonly etag: string;
}

/**
 * The range that a request asks for; undefined for the whole file, also for several ranges, or if If-Range names another
 * version of the file (RFC 9110, 14.2).
 */
export function rangeOf(
  range: string | undefined,
  ifRange: string | string[] | undefined,
  { size, etag }: FileVersion,
): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if ((ifRange !== undefined && ifRange !== etag) || (from === '' && to === '')) return undefined;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** Undefined if there is no such file. */
export async function versionOf(file: string): Promise<FileVersion | undefined> {
  try {
    const found = await stat(file, { bigint: true });
    const { size, ino, mtimeNs } = found;
    const etag = `"${[size, ino, mtimeNs].map((number) => number.toString(36)).join('-')}"`;
    return found.isFile() ? { size: Number(size), etag } : undefined;
  } catch (error) {
    // The file was removed; any other error is a fault of the machine.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
