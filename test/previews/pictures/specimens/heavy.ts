// Specimens that take seconds and hundreds of megabytes: as large as is just taken, or packed a thousandfold. They are
// for bench/specimens.ts alone.
import sharp, { type Sharp } from 'sharp';
import { film } from './gif-and-webp.ts';
import { blank } from './png.ts';
import { read, type Specimen, tooLarge } from './specimen.ts';
import { page, tiff } from './tiff.ts';

/** Just below 100 megapixels. */
const side = 9990;

const kinds: Readonly<Record<string, (picture: Sharp) => Sharp>> = {
  'baseline.jpg': (picture) => picture.jpeg(),
  'progressive.jpg': (picture) => picture.jpeg({ progressive: true, chromaSubsampling: '4:4:4' }),
  'lossy.webp': (picture) => picture.webp({ effort: 0 }),
  'lossless.webp': (picture) => picture.webp({ effort: 0, lossless: true }),
  'deflate.tiff': (picture) => picture.tiff({ compression: 'deflate' }),
  'tiled.tiff': (picture) => picture.tiff({ compression: 'deflate', tile: true }),
  'coded.avif': (picture) => picture.avif({ effort: 0 }),
  'canvas.gif': (picture) => picture.gif({ effort: 1 }),
};

/** Made one at a time: several at once would need gigabytes. */
export const heavy: readonly (() => Promise<Specimen>)[] = [
  ...Object.entries(kinds).flatMap(([name, write]) =>
    // A GIF does not say how it was held.
    (name.endsWith('gif') ? [1] : [1, 6]).map((orientation) => async (): Promise<Specimen> => {
      const picture = sharp({
        create: { width: side, height: side, channels: 3, background: '#b43' },
      });
      const bytes = await write(picture.withMetadata({ orientation })).toBuffer();
      // The decoder of AVIF alone needs more than the budget of all decoders.
      const expected = name.endsWith('avif') ? tooLarge : read(1600, 1600);
      return { name: `heavy-held-${orientation}-${name}`, bytes, expected };
    }),
  ),
  ...[0, 1].map((interlace) => async (): Promise<Specimen> => {
    const bytes = blank(10_000, 10_000, { depth: 16, colour: 6, interlace });
    return { name: `heavy-interlace-${interlace}.png`, bytes, expected: read(1600, 1600) };
  }),
  async () => ({ name: 'heavy-frames.gif', bytes: film(1_000_000), expected: tooLarge }),
  async () => {
    const pages = Array.from({ length: 200_000 }, () => page(8, 8));
    const bytes = tiff({ data: Buffer.alloc(64), pages });
    return { name: 'heavy-pages.tif', bytes, expected: tooLarge };
  },
];
