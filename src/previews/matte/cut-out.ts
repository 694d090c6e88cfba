// Cuts a figure out of its background: by its own transparency, by a background of one colour, by where faces are, else
// as a soft oval in the middle.
import type { Region } from '../../contract/api/region.ts';
import { type Picture, pictureOf, resized, sharpOf } from '../pictures/picture.ts';
import type { Box } from './box.ts';

export interface Figure {
  /** With soft edges; the background is transparent. */
  readonly picture: Picture;
  /** Where the figure is in it, in pixels. */
  readonly box: Box;
}

/** The longest side of the copy in which the figure is looked for, in pixels. */
const searchedSide = 360;
/** A picture with this share of transparent pixels was cut out before. */
const alreadyCut = 0.02;
/** How far from the background's colour a pixel may be, in steps of a channel. */
const tolerance = 34;
/** The share of a picture's edge that must have the background's colour. */
const plainEdge = 0.85;
/** The share of a picture that a background takes. */
const [leastBackground, mostBackground] = [0.12, 0.92];
/** The share of a shape's radius that its soft edge takes. */
const softness = 0.12;

/** `faces`: where faces are known to be. */
export async function cutOut(picture: Picture, faces: readonly Region[] = []): Promise<Figure> {
  if (transparencyOf(picture) > alreadyCut) return figureOf(picture);
  const small = await pictureOf(
    sharpOf(picture).resize(searchedSide, searchedSide, {
      fit: 'inside',
      withoutEnlargement: true,
    }),
  );
  const shapes = faces.length === 0 ? [oval] : faces.map(person);
  const alpha = plainAlpha(small) ?? shapeAlpha(small, shapes);
  return figureOf(await withAlpha(picture, alpha, small));
}

/** The picture as an oval that fades out towards its edge. */
export const ovalOf = (picture: Picture): Promise<Picture> =>
  withAlpha(picture, shapeAlpha(picture, [oval]), picture);

/** One face at most. */
export const largestFace = (faces: readonly Region[]): readonly Region[] =>
  faces.toSorted((a, b) => b.width * b.height - a.width * a.height).slice(0, 1);

/** The share of the pixels that are transparent. */
function transparencyOf({ pixels }: Picture): number {
  let clear = 0;
  for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] ?? 0) < 128) clear += 1;
  return (clear * 4) / pixels.length;
}

/** 255 for the figure and 0 for the background; undefined where the background is not of one colour. */
function plainAlpha(picture: Picture): Uint8Array | undefined {
  const { pixels, width, height } = picture;
  const edge = edgeOf(picture);
  const colour = [0, 1, 2].map((channel) => {
    const values = edge.map((at) => pixels[at * 4 + channel] ?? 0).sort((a, b) => a - b);
    return values[values.length >> 1] ?? 0;
  });
  const fits = (at: number): boolean =>
    colour.every((value, i) => Math.abs(value - (pixels[at * 4 + i] ?? 0)) < tolerance);
  const open = edge.filter(fits);
  if (open.length < edge.length * plainEdge) return undefined;
  const alpha = new Uint8Array(width * height).fill(255);
  for (const seed of open) alpha[seed] = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = at % width;
    for (const next of [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, at + width]) {
      if (next < 0 || next >= alpha.length || alpha[next] === 0 || !fits(next)) continue;
      alpha[next] = 0;
      open.push(next);
    }
  }
  const background = alpha.filter((value) => value === 0).length / alpha.length;
  if (background < leastBackground || background > mostBackground) return undefined;
  return alpha[(height >> 1) * width + (width >> 1)] === 0 ? undefined : alpha;
}

/** The pixels of the left, the right and the upper edge. */
function edgeOf({ width, height }: Picture): number[] {
  const edge = Array.from({ length: width }, (_, x) => x);
  for (let y = 1; y < height * 0.8; y++) edge.push(y * width, y * width + width - 1);
  return edge;
}

/** How deep inside a shape a point of a picture is: 1 in its middle, 0 at its edge. */
type Shape = (x: number, y: number, picture: Picture) => number;

const oval: Shape = (x, y, { width, height }) =>
  1 -
  Math.hypot(
    (x - width / 2) / Math.min(width * 0.49, height * 0.4),
    (y - height / 2) / (height * 0.49),
  );

/** How far a person reaches to the sides of a face: the head, and the shoulders. In widths of the face. */
const headHalf = 0.95;
const shoulderHalf = 1.45;

/** The head of a known face, and a body of usual width below it. */
const person =
  (face: Region): Shape =>
  (x, y, { width, height }) => {
    const tall = face.height * height;
    const chin = (face.y + face.height) * height;
    const aside = Math.abs(x - (face.x + face.width / 2) * width) / (face.width * width);
    const head = 1 - Math.hypot(aside / headHalf, (y - (chin - tall * 0.6)) / (tall * 1.05));
    const down = Math.max(0, Math.min(1, (y - chin) / tall + 0.3));
    return Math.max(head, down === 0 ? -1 : 1 - aside / (shoulderHalf * Math.sqrt(down)));
  };

function shapeAlpha(picture: Picture, shapes: readonly Shape[]): Uint8Array {
  const { width, height } = picture;
  return Uint8Array.from({ length: width * height }, (_, i) => {
    const depths = shapes.map((shape) => shape(i % width, Math.floor(i / width), picture));
    return Math.max(0, Math.min(255, (Math.max(...depths) / softness) * 255));
  });
}

/** The picture with an alpha that was found in a smaller copy. */
async function withAlpha(picture: Picture, alpha: Uint8Array, small: Picture): Promise<Picture> {
  const mask = { ...small, pixels: Buffer.alloc(alpha.length * 4, 255) };
  for (const [i, value] of alpha.entries()) mask.pixels[i * 4] = value;
  const large = await resized(mask, picture);
  const pixels = Buffer.from(picture.pixels);
  for (let at = 0; at < pixels.length; at += 4) pixels[at + 3] = large.pixels[at] ?? 0;
  return { ...picture, pixels };
}

/** A figure whose background is already transparent. */
export function figureOf(picture: Picture): Figure {
  const { pixels, width, height } = picture;
  let [left, right, top, bottom] = [width, 0, height, 0];
  for (let y = 0, at = 3; y < height; y++)
    for (let x = 0; x < width; x++, at += 4) {
      if ((pixels[at] ?? 0) < 64) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + 1);
    }
  const [wide, high] = [Math.max(1, right - left), Math.max(1, bottom - top)];
  const box = { x: left + wide / 2, y: top + high / 2, width: wide, height: high };
  return { picture, box };
}
