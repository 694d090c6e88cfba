// Real photos of 3 to 5 people each: they are in the package of the nets.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { type Picture, pictureOf } from '../../../src/previews/pictures/picture.ts';

const samples = join(
  dirname(createRequire(import.meta.url).resolve('@vladmandic/face-api/package.json')),
  'demo',
);

/** One of the six, its longer side so many pixels. */
export const sample = (number: number, side: number): Promise<Picture> =>
  pictureOf(
    sharp(join(samples, `sample${number}.jpg`)).resize({
      width: side,
      height: side,
      fit: 'inside',
    }),
  );
