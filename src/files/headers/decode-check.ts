// Whether a result can be decoded, before the only other copy of it is deleted. Loads a decoder only if the structure
// of the file says nothing against it.
import { open } from 'node:fs/promises';
import { NotRegularFile } from '../../base/regular-file.ts';
import { isSystemProblem, systemCode, systemReason } from '../../base/system-error.ts';
import { type Decoder, readFormat } from '../../previews/pictures/file-format.ts';
import { checkResult } from './media-check.ts';

/** What is wrong with the file, as the end of a sentence about it; undefined if nothing is, or if nobody can tell. */
export async function damageOf(path: string): Promise<string | undefined> {
  try {
    const verdict = checkResult(path);
    if (verdict.is !== 'fine') return verdict.is === 'wrong' ? verdict.why : undefined;
    await using file = await open(path);
    const format = await readFormat(file);
    if (format.kind !== 'picture' || !decoded.has(format.decoder)) return undefined;
    return (await canDecode(path))
      ? undefined
      : `is a ${format.name} picture that cannot be decoded`;
  } catch (error) {
    // In a run on several machines, the file may be on another one.
    if (systemCode(error) === 'ENOENT') return undefined;
    if (error instanceof NotRegularFile) return error.message;
    if (!isSystemProblem(error)) throw error;
    return systemReason(error);
  }
}

/** What every build of the decoder reads, so that a failure is the file's. */
const decoded: ReadonlySet<Decoder> = new Set(['jpeg', 'png', 'webp', 'gif']);

/** A larger picture is not decoded. */
const mostPixels = 100_000_000;

async function canDecode(path: string): Promise<boolean> {
  const { default: sharp } = await import('sharp');
  const picture = sharp(path, { limitInputPixels: false, failOn: 'error', sequentialRead: true });
  try {
    const { width, height } = await picture.metadata();
    if (width * height > mostPixels) return true;
    // Every row of the picture is part of the result.
    await picture.resize(8, 8, { fit: 'fill' }).raw().toBuffer();
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
