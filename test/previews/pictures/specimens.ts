// All specimens of picture files, the same at every run: the good, the odd, the broken, and those that are none.
import { boxed } from './specimens/boxes.ts';
import { damaged } from './specimens/damaged.ts';
import { encoded } from './specimens/encoded.ts';
import { foreign } from './specimens/foreign.ts';
import { framed } from './specimens/gif-and-webp.ts';
import { segmented } from './specimens/jpeg.ts';
import { chunked } from './specimens/png.ts';
import type { Specimen } from './specimens/specimen.ts';
import { tagged } from './specimens/tiff.ts';
import { ultraHdr } from './specimens/ultra-hdr.ts';

/** One of each way in which pictures are packed: what is damaged is one of these. */
const victims = new Set([
  'plain.jpg',
  'progressive.jpg',
  'small-chroma.jpg',
  'plain.png',
  'interlaced.png',
  'sixteen-bit-alpha.png',
  'palette.png',
  'plain.webp',
  'lossless.webp',
  'moving.webp',
  'plain.gif',
  'moving.gif',
  'plain.tiff',
  'lzw.tiff',
  'jpeg-inside.tiff',
  'tiled.tiff',
  'plain.avif',
]);

export async function specimens(): Promise<readonly Specimen[]> {
  const good = await encoded();
  const parts = await Promise.all([segmented(), framed(), boxed(), foreign()]);
  const all = [
    ...good,
    await ultraHdr(),
    ...parts.flat(),
    ...chunked(),
    ...tagged(),
    ...damaged(good.filter(({ name }) => victims.has(name))),
  ];
  if (new Set(all.map(({ name }) => name)).size < all.length)
    throw new Error('two specimens have one name');
  return all;
}
