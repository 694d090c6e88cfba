// A specimen: a file that somebody may send as a picture, and what must come of it.
import sharp, { type Sharp } from 'sharp';

export type Expectation =
  /** Read whole, of this size as it is worked on; with `upright`, the motif stands upright in its colours. */
  | {
      readonly kind: 'ok';
      readonly width: number;
      readonly height: number;
      readonly upright?: Tolerance;
    }
  /** Taken by the hosted service and not decoded here: a card stands for it. */
  | { readonly kind: 'card' }
  | { readonly kind: 'error'; readonly code: 'invalid_file_format' | 'file_too_large' }
  /** Nobody can say what a decoder makes of it: a picture or one of the errors, but an answer. */
  | { readonly kind: 'undecided' };

/** How far each of red, green and blue may be from the motif's. */
export type Tolerance = number;

export interface Specimen {
  /** Unlike all others; a file's name as well, with the ending under which it is sent. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly expected: Expectation;
}

export const invalid: Expectation = { kind: 'error', code: 'invalid_file_format' };
export const tooLarge: Expectation = { kind: 'error', code: 'file_too_large' };
export const undecided: Expectation = { kind: 'undecided' };
export const isCard: Expectation = { kind: 'card' };
export const read = (width: number, height: number): Expectation => ({ kind: 'ok', width, height });

/** No smaller than what is enlarged before it is worked on. */
export const width = 128;
export const height = 96;

/** The fields are grained by up to this much, so that packed pictures have something to lose. */
const grain = 6;

/** The motif: four fields of colour, so that every turn and every mirror image can be told from every other. */
const colours = [
  [224, 48, 48],
  [48, 200, 80],
  [48, 80, 224],
  [232, 216, 64],
] as const;

/** The colours of the fields with the pixel in the middle of each. */
export const fields = colours.map((colour, index) => ({
  colour,
  x: index % 2 === 0 ? width / 4 : (width * 3) / 4,
  y: index < 2 ? height / 4 : (height * 3) / 4,
}));

export const motifSeen = (upright: Tolerance): Expectation => ({
  kind: 'ok',
  width,
  height,
  upright: upright + grain,
});

/** How EXIF's orientations store a picture: where in the upright one a stored pixel comes from. */
const sources: readonly ((x: number, y: number) => readonly [number, number])[] = [
  (x, y) => [x, y],
  (x, y) => [width - 1 - x, y],
  (x, y) => [width - 1 - x, height - 1 - y],
  (x, y) => [x, height - 1 - y],
  (x, y) => [y, x],
  (x, y) => [width - 1 - y, x],
  (x, y) => [width - 1 - y, height - 1 - x],
  (x, y) => [y, height - 1 - x],
];

export const orientations = [1, 2, 3, 4, 5, 6, 7, 8] as const;
export type Orientation = (typeof orientations)[number];

export interface Raster {
  readonly width: number;
  readonly height: number;
  /** RGB, a byte each. */
  readonly pixels: Buffer;
}

/** The motif as a camera stores it that was held in this way. */
export function motif(orientation: Orientation = 1): Raster {
  const size = orientation < 5 ? { width, height } : { width: height, height: width };
  const source = sources[orientation - 1] ?? ((x, y) => [x, y]);
  const pixels = Buffer.alloc(size.width * size.height * 3);
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const [left, top] = source(x, y);
      const field = (left < width / 2 ? 0 : 1) + (top < height / 2 ? 0 : 2);
      const [red = 0, green = 0, blue = 0] = colours[field] ?? [];
      // The same for the same place in the upright picture, and like chance.
      const shade = (Math.imul(left * 73 + top * 179 + 7, 0x9e3779b1) >>> 24) % (2 * grain + 1);
      const off = shade - grain;
      pixels.set([red + off, green + off, blue + off], (y * size.width + x) * 3);
    }
  return { ...size, pixels };
}

export const sharpOfRaster = ({ pixels, width, height }: Raster): Sharp =>
  sharp(pixels, { raw: { width, height, channels: 3 } });

/** Whole numbers from 0 up to a limit, always the same for the same seed (mulberry32). */
export function drawing(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
