// Small WebP pictures of the files of a report.
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';

/** The longest side in pixels, and the quality. */
interface ThumbnailSize {
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
    return await sharp(file, { limitInputPixels: maxPixels, failOn: 'error' })
      .autoOrient()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp({ quality, effort: 4 })
      .toBuffer();
  } catch (error) {
    // The page shows the kind of the file instead, for example of a picture that is damaged or too large.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
