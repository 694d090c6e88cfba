// The manner of a picture, when words name one: a drawing in pencil, blocks of pixels, an old photograph, and so on.
// What the generator and the editor are both asked for.
import { type Picture, pictureOf, sharpOf } from '../../pictures/picture.ts';
import { firstSaid } from './words.ts';

interface Treatment {
  readonly words: readonly string[];
  readonly apply: (picture: Picture) => Promise<Picture>;
}

const treatments: readonly Treatment[] = [
  { words: ['pixel art', 'pixel', '8 bit', '8bit', 'retro game', 'minecraft'], apply: blocks },
  { words: ['pencil', 'sketch', 'line art', 'drawing', 'coloring book'], apply: pencil },
  {
    words: [
      'watercolor',
      'watercolour',
      'aquarelle',
      'oil painting',
      'painting',
      'impressionist',
      'van gogh',
      'monet',
    ],
    apply: paint,
  },
  {
    words: ['black and white', 'monochrome', 'grayscale', 'greyscale', 'noir', 'b w'],
    apply: async (picture) =>
      pictureOf(sharpOf(await grey(picture)).linear([1.15, 1.15, 1.15, 1], [-14, -14, -14, 0])),
  },
  {
    words: ['vintage', 'retro', 'sepia', 'old photo', 'nostalgic', 'polaroid', '1970s', '1950s'],
    apply: aged,
  },
  {
    words: ['cartoon', 'anime', 'comic', 'pop art', 'vector', 'flat', 'cel shaded'],
    apply: cartoon,
  },
];

/** The picture in the manner that a text names first; as it is when it names none. */
export async function inManner(picture: Picture, text: string): Promise<Picture> {
  const treatment = firstSaid(text, treatments);
  return treatment === undefined ? picture : treatment.apply(picture);
}

/** Without colour, in the same four channels. */
export const grey = (picture: Picture): Promise<Picture> =>
  pictureOf(sharpOf(picture).modulate({ saturation: 0 }));

async function blocks(picture: Picture): Promise<Picture> {
  const { width, height } = picture;
  const side = Math.max(4, Math.round(Math.max(width, height) / 110));
  const small = await pictureOf(
    sharpOf(picture)
      .resize(Math.max(1, Math.round(width / side)), Math.max(1, Math.round(height / side)), {
        fit: 'fill',
      })
      .modulate({ saturation: 1.3 }),
  );
  const step = 28;
  const { pixels } = small;
  for (let at = 0; at < pixels.length; at++)
    if (at % 4 !== 3) pixels[at] = Math.min(255, Math.round((pixels[at] ?? 0) / step) * step);
  return pictureOf(sharpOf(small).resize(width, height, { fit: 'fill', kernel: 'nearest' }));
}

/** Dark where the picture is darker than its surroundings: grey divided by its own blur. */
async function pencil(picture: Picture): Promise<Picture> {
  const radius = Math.max(1, Math.max(picture.width, picture.height) / 180);
  const plain = await grey(picture);
  const soft = await pictureOf(sharpOf(plain).blur(radius));
  const pixels = Buffer.from(plain.pixels);
  for (let at = 0; at < pixels.length; at += 4) {
    const here = plain.pixels[at] ?? 0;
    // What is added keeps the noise of dark places from becoming lines.
    const ratio = Math.min(1, (here + 40) / ((soft.pixels[at] ?? 0) + 40));
    const value = Math.min(255, 270 * ratio ** 2.4) * (0.84 + (0.16 * here) / 255);
    pixels[at] = value;
    pixels[at + 1] = value;
    pixels[at + 2] = value * 0.98;
  }
  return { ...plain, pixels };
}

/** Flat patches for broad strokes: a median in half the size, which is the same for a fraction of the work. */
async function flattened(picture: Picture): Promise<Picture> {
  const { width, height } = picture;
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
  const flat = await pictureOf(
    sharpOf(picture)
      .resize({ ...half, fit: 'fill' })
      .median(5),
  );
  return pictureOf(sharpOf(flat).resize(width, height, { fit: 'fill' }));
}

async function paint(picture: Picture): Promise<Picture> {
  const flat = await flattened(await flattened(picture));
  return pictureOf(sharpOf(flat).sharpen().modulate({ saturation: 1.3, brightness: 1.06 }));
}

function aged(picture: Picture): Promise<Picture> {
  return pictureOf(
    sharpOf(picture)
      .removeAlpha()
      .recomb([
        [0.5, 0.4, 0.12],
        [0.3, 0.5, 0.12],
        [0.22, 0.34, 0.3],
      ])
      .linear(0.86, 26),
  );
}

async function cartoon(picture: Picture): Promise<Picture> {
  const flat = await pictureOf(sharpOf(await flattened(picture)).modulate({ saturation: 1.45 }));
  const lines = await pencil(picture);
  const { pixels } = flat;
  for (let at = 0; at < pixels.length; at++) {
    if (at % 4 === 3) continue;
    const stepped = Math.round((pixels[at] ?? 0) / 36) * 36;
    pixels[at] = Math.min(255, stepped * Math.min(1, 0.2 + (lines.pixels[at] ?? 0) / 190));
  }
  return flat;
}
