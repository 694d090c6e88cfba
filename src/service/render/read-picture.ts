// Reading the pictures that a request names, of every size and orientation, and files that are no pictures at all.
import { open } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import type { ProjectError } from '../../api/project.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { card } from './card.ts';
import { type Picture, pictureOf, sharpOf } from './picture.ts';
import type { RenderInput } from './request.ts';

/** The longest side of what is rendered, in pixels. */
const longestSide = 1600;
/** Smaller pictures are enlarged until the rehearsal mark can be read. */
const shortestSide = 96;
/** About 100 megapixels: a larger picture is refused before it is decoded. */
const limitInputPixels = 100_000_000;
/** Formats that a picture may have whatever its name says. No SVG: it is text that can refer to other files. */
const formats = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'heif'];

/** Reads an input's picture. One that cannot be read is the project's error, and names the input. */
export async function readPicture(
  input: RenderInput,
  side = longestSide,
): Promise<Result<Picture, ProjectError>> {
  const { file, reference, field } = input;
  if (file === undefined) return ok(await card(reference, reference));
  try {
    const source = sharp(file, { limitInputPixels, failOn: 'error' });
    const { format } = await source.metadata();
    if (formats.includes(format)) return ok(await sized(source.autoOrient(), side));
  } catch (reason) {
    const format = await foreignFormatOf(file);
    // The hosted service takes these; only the stand-in cannot look into them.
    if (format !== undefined) return ok(await card(`${format} picture`, reference));
    const why = reason instanceof Error ? reason.message.split('\n')[0] : `${reason}`;
    return unreadable(field, reference, why ?? 'unknown');
  }
  return unreadable(field, reference, 'not a picture format that is taken');
}

function unreadable(field: string, reference: string, why: string): Result<never, ProjectError> {
  return err({
    code: 'invalid_file_format',
    message: `The picture of ${field} (${reference}) cannot be read: ${why}`,
  });
}

/** Formats on the list of extensions (facts.md, Uploads) that the picture library here does not decode. */
async function foreignFormatOf(file: string): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    if (bytesRead < 16) return undefined;
    const head = buffer.toString('latin1');
    if (/^....ftyp(heic|heix|heim|heis|hevc|mif1|msf1)/s.test(head)) return 'HEIC';
    if (head.startsWith('BM')) return 'BMP';
    return head.startsWith('\0\0\0\x0cjP  ') || head.startsWith('\xff\x4f\xff\x51')
      ? 'JPEG 2000'
      : undefined;
  } finally {
    await handle.close();
  }
}

/** Runs a pipeline to its end, within the sizes that we work with. */
async function sized(source: Sharp, side: number): Promise<Picture> {
  const picture = await pictureOf(
    source.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true }),
  );
  if (picture.width >= shortestSide && picture.height >= shortestSide) return picture;
  return pictureOf(
    sharpOf(picture).resize({
      width: Math.max(picture.width, shortestSide),
      height: Math.max(picture.height, shortestSide),
      fit: 'contain',
      background: { r: 0, g: 0, b: 0, alpha: 0 },
    }),
  );
}
