// The demo's contact sheet: each picture before and after, side by side, and all pairs on one.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';

export interface Pair {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Of one picture on the sheet, in pixels. */
const [width, height] = [450, 338];
const gap = 12;
const pairsPerRow = 2;
const [across, down] = [2 * width + 3 * gap, height + gap];

/** Writes `<name>.jpg` for each pair into the folder, and the sheet beside it; answers the sheet's path. */
export async function writeBeforeAfter(folder: string, pairs: readonly Pair[]): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const pictures = await Promise.all(
    pairs.map(async ({ name, before, after }) => {
      const picture = await beside(await fitted(before), await fitted(after));
      await sharp(picture)
        .jpeg({ quality: 90 })
        .toFile(join(folder, `${name}.jpg`));
      return picture;
    }),
  );
  const sheet = `${folder}.jpg`;
  const rows = Math.ceil(pictures.length / pairsPerRow);
  await canvas(pairsPerRow * across + gap, rows * down + gap, '#222')
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

const canvas = (wide: number, high: number, background: string): Sharp =>
  sharp({ create: { width: wide, height: high, channels: 3, background } });

/** Squares show through what is transparent. */
const squares = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><pattern id="p" width="24" height="24" patternUnits="userSpaceOnUse"><rect width="24" height="24" fill="#fff"/><path d="M0 0h12v24h12V12H0z" fill="#ddd"/></pattern><rect width="100%" height="100%" fill="url(#p)"/></svg>`,
);

async function fitted(file: string): Promise<Buffer> {
  const picture = await sharp(file)
    .autoOrient()
    .resize(width, height, { fit: 'inside' })
    .toBuffer();
  return await sharp(squares)
    .composite([{ input: picture }])
    .png()
    .toBuffer();
}

const beside = async (before: Buffer, after: Buffer): Promise<Buffer> =>
  await canvas(2 * width + gap, height, '#222')
    .composite([
      { input: before, left: 0, top: 0 },
      { input: after, left: width + gap, top: 0 },
    ])
    .png()
    .toBuffer();
