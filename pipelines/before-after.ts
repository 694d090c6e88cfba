// The demo's contact sheet: each photo before and after, side by side and named, and all pairs on one picture.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { write } from '../src/previews/pictures/lettering.ts';

export interface Pair {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Of one photo on the sheet, in pixels. */
const size = { width: 400, height: 430 } as const;
const caption = 40;
const gap = 12;
const pairsPerRow = 2;
const background = '#222';
const pair = { width: 2 * size.width + gap, height: caption + size.height } as const;

/** Writes `<name>.jpg` for each pair into the folder, and the sheet beside it; answers the sheet's path. */
export async function writeBeforeAfter(folder: string, pairs: readonly Pair[]): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const pictures = await Promise.all(
    pairs.map(async ({ name, before, after }) => {
      const picture = await beside([await named('before', before), await named('after', after)]);
      await sharp(picture)
        .jpeg({ quality: 90 })
        .toFile(join(folder, `${name}.jpg`));
      return picture;
    }),
  );
  const sheet = `${folder}.jpg`;
  const rows = Math.ceil(pictures.length / pairsPerRow);
  const [across, down] = [pair.width + 3 * gap, pair.height + 2 * gap];
  await canvas(pairsPerRow * across + gap, rows * down + gap)
    .composite(
      pictures.map((input, index) => ({
        input,
        left: 2 * gap + (index % pairsPerRow) * across,
        top: gap + Math.floor(index / pairsPerRow) * down,
      })),
    )
    .jpeg({ quality: 90 })
    .toFile(sheet);
  return sheet;
}

const canvas = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background } });

/** A photo below a line that says which it is. */
async function named(when: 'before' | 'after', file: string): Promise<Buffer> {
  const line = {
    width: size.width,
    height: caption,
    pixels: Buffer.alloc(size.width * caption * 4),
  };
  write(line, `${when}: ${basename(file)}`, { left: 0, top: 12, dot: 2 });
  const photo = await sharp(file)
    .autoOrient()
    .resize(size.width, size.height, { fit: 'contain', background })
    .toBuffer();
  const raw = { width: line.width, height: line.height, channels: 4 } as const;
  return await canvas(size.width, pair.height)
    .composite([
      { input: line.pixels, raw, left: 0, top: 0 },
      { input: photo, left: 0, top: caption },
    ])
    .png()
    .toBuffer();
}

const beside = async (halves: readonly Buffer[]): Promise<Buffer> =>
  await canvas(pair.width, pair.height)
    .composite(halves.map((input, index) => ({ input, left: index * (size.width + gap), top: 0 })))
    .png()
    .toBuffer();
