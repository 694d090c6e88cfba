// The demo's contact sheet: each photo before and after, side by side, and all pairs on one picture.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

export interface Pair {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** The height of a pair, in pixels, and the width of each of its halves. */
const height = 400;
const width = 560;
const gap = 8;

/** Writes `<name>.jpg` for each pair into the folder, and the sheet beside it; answers the sheet's path. */
export async function writeBeforeAfter(folder: string, pairs: readonly Pair[]): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const rows = await Promise.all(
    pairs.map(async ({ name, before, after }) => {
      const halves = await Promise.all([before, after].map(half));
      const row = await beside(halves);
      await sharp(row)
        .jpeg({ quality: 90 })
        .toFile(join(folder, `${name}.jpg`));
      return row;
    }),
  );
  const sheet = `${folder}.jpg`;
  await sharp({
    create: {
      width: 2 * width + 3 * gap,
      height: rows.length * (height + gap) + gap,
      channels: 3,
      background: '#222',
    },
  })
    .composite(rows.map((input, row) => ({ input, left: gap, top: gap + row * (height + gap) })))
    .jpeg({ quality: 90 })
    .toFile(sheet);
  return sheet;
}

async function half(file: string): Promise<Buffer> {
  return await sharp(file)
    .autoOrient()
    .resize(width, height, { fit: 'contain', background: '#222' })
    .png()
    .toBuffer();
}

async function beside(halves: readonly Buffer[]): Promise<Buffer> {
  return await sharp({
    create: { width: 2 * width + gap, height, channels: 3, background: '#222' },
  })
    .composite(halves.map((input, index) => ({ input, left: index * (width + gap), top: 0 })))
    .png()
    .toBuffer();
}
