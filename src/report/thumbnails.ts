// Small WebP pictures of the files of a report.
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import type { Sharp } from 'sharp';
import { systemCode } from '../base/system-error.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';

/** The longest side in pixels, and the quality. */
export interface ThumbnailSize {
  readonly side: number;
  readonly quality: number;
}

/** About 12 MB for up to 2,500 pictures, then about 2 KB for each. */
const sizes: readonly (ThumbnailSize & { readonly most: number })[] = [
  { most: 60, side: 1280, quality: 76 },
  { most: 250, side: 720, quality: 70 },
  { most: 800, side: 400, quality: 64 },
  { most: 2_500, side: 240, quality: 56 },
];
const smallestSize: ThumbnailSize = { side: 144, quality: 42 };

export const thumbnailSize = (pictures: number): ThumbnailSize =>
  sizes.find(({ most }) => pictures <= most) ?? smallestSize;

/** A larger picture is not decoded. */
const maxPixels = 100_000_000;

/** WebP in Base64 for each file, in their order; undefined for a file that is absent or no picture. */
export async function thumbnails(
  files: readonly (string | undefined)[],
  { side, quality }: ThumbnailSize,
  onDone: () => void = () => undefined,
): Promise<readonly (string | undefined)[]> {
  const limit = pLimit(availableParallelism());
  return await Promise.all(
    files.map((file) =>
      limit(async () => {
        const made = file === undefined ? undefined : await thumbnail(file, { side, quality });
        onDone();
        return made?.toString('base64');
      }),
    ),
  );
}

/** WebP; undefined for a file that is absent or no picture. */
export async function thumbnail(
  file: string,
  { side, quality }: ThumbnailSize,
): Promise<Buffer | undefined> {
  try {
    // Loaded for the first picture: it takes longer than many commands.
    const { default: sharp } = await import('sharp');
    const picture = isClip(file)
      ? await posterOf(file, side)
      : sharp(file, { limitInputPixels: maxPixels, failOn: 'error' }).autoOrient();
    return await picture
      ?.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp({ quality, effort: 4 })
      .toBuffer();
  } catch (error) {
    // The page shows the kind of the file instead, for example of a picture that is damaged or too large.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const isClip = (file: string): boolean => {
  const extension = extensionOf(file);
  return mediaTypeOf(extension) === 'video' && extension !== 'gif';
};

// The picture of a clip: a frame from its first second, where the video library is installed.

/** By then a clip has begun, and seldom is still black. */
const posterSeconds = 0.5;

/** Undefined without the library, and for a file that is no clip. */
async function posterOf(file: string, side: number): Promise<Sharp | undefined> {
  try {
    const { openClip } = await import('../previews/clips/open.ts');
    const { sharpOf } = await import('../previews/pictures/picture.ts');
    const nameless = { field: 'clip', reference: 'clip', face: undefined, faces: [] };
    const opened = await openClip({ file, media: 'video', ...nameless });
    if (!opened.ok) return undefined;
    const { facts } = opened.value;
    const scale = Math.min(1, side / Math.max(facts.width, facts.height));
    const size = {
      width: Math.max(1, Math.round(facts.width * scale)),
      height: Math.max(1, Math.round(facts.height * scale)),
    };
    const start = Math.min(posterSeconds, facts.seconds / 2);
    const frames = opened.value.frames({ start, end: start + 0.5, fps: 2, ...size });
    const { value, done } = await frames.next();
    await opened.value.close();
    return done === true ? undefined : sharpOf(value);
  } catch (error) {
    if (systemCode(error) === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
