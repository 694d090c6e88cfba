// Cuts a figure out of its background by plain means: by its own transparency, by a background of few colours, by where a
// face is, else as a soft oval in the middle.
import type { Region } from '../../contract/api/region.ts';
import { type Picture, pictureOf, resized, sharpOf } from '../pictures/picture.ts';
import type { Box } from './box.ts';

export interface Figure {
  /** With soft edges; the background is transparent. */
  readonly picture: Picture;
  /** Where the figure is in it, in pixels. */
  readonly box: Box;
  /** False for an oval, which has some of the background in it. */
  readonly clean: boolean;
}

/** The longest side of the copy in which the figure is looked for, in pixels. */
const searchedSide = 360;
/** A picture with this share of transparent pixels was cut out by somebody else already. */
const alreadyCut = 0.02;
/** How many colours a plain background has, and how far from them, in steps of a channel, it may be. */
const colours = 3;
const tolerance = 34;
/** How much of a picture's edge must have these colours. */
const plainEdge = 0.85;
/** How much of a picture a background takes. */
const leastBackground = 0.12;
const mostBackground = 0.92;

/** `faces`: where faces are known to be. */
export async function cutOut(picture: Picture, faces: readonly Region[] = []): Promise<Figure> {
  if (transparencyOf(picture) > alreadyCut) return figureOf(picture, true);
  const small = await pictureOf(
    sharpOf(picture).resize(searchedSide, searchedSide, {
      fit: 'inside',
      withoutEnlargement: true,
    }),
  );
  const plain = plainAlpha(small);
  if (plain !== undefined)
    return figureOf(await withAlpha(picture, soft(plain, small), small), true);
  const alpha = faces.length === 0 ? ovalAlpha(small) : peopleAlpha(small, faces);
  return figureOf(await withAlpha(picture, alpha, small), faces.length > 0);
}

/** One face at most. */
export const largestFace = (faces: readonly Region[]): readonly Region[] =>
  faces.toSorted((a, b) => b.width * b.height - a.width * a.height).slice(0, 1);

/** Which share of the pixels can be seen through. */
function transparencyOf({ pixels }: Picture): number {
  let clear = 0;
  for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] ?? 0) < 128) clear += 1;
  return (clear * 4) / pixels.length;
}

/** 255 for the figure and 0 for a plain background; undefined where the background is not plain. */
function plainAlpha(picture: Picture): Uint8Array | undefined {
  const { pixels, width, height } = picture;
  const edge = edgeOf(picture);
  const plain = fewColoursOf(pixels, edge);
  const distance = (at: number): number =>
    Math.min(
      ...plain.map((colour) =>
        Math.max(...colour.map((value, i) => Math.abs(value - (pixels[at + i] ?? 0)))),
      ),
    );
  const fitting = edge.filter((at) => distance(at) < tolerance);
  if (fitting.length < edge.length * plainEdge) return undefined;
  const alpha = new Uint8Array(width * height).fill(255);
  const open = fitting.map((at) => at / 4);
  for (const seed of open) alpha[seed] = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = at % width;
    for (const next of [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, at + width]) {
      if (next < 0 || next >= alpha.length || alpha[next] === 0) continue;
      if (distance(next * 4) >= tolerance) continue;
      alpha[next] = 0;
      open.push(next);
    }
  }
  const background = alpha.filter((value) => value === 0).length / alpha.length;
  if (background < leastBackground || background > mostBackground) return undefined;
  const middle = alpha[(height >> 1) * width + (width >> 1)];
  return middle === 0 ? undefined : alpha;
}

/** Where in the pixels the left, the right and the upper edge are. */
function edgeOf({ width, height }: Picture): readonly number[] {
  const edge: number[] = [];
  for (let x = 0; x < width; x++) edge.push(x * 4);
  for (let y = 1; y < height * 0.8; y++) edge.push(y * width * 4, (y * width + width - 1) * 4);
  return edge;
}

/** The middles of the groups in which an edge's colours lie. */
function fewColoursOf(pixels: Buffer, edge: readonly number[]): readonly (readonly number[])[] {
  const at = (part: number): readonly number[] => {
    const from = edge[Math.floor(edge.length * part)] ?? 0;
    return [pixels[from] ?? 0, pixels[from + 1] ?? 0, pixels[from + 2] ?? 0];
  };
  let middles = Array.from({ length: colours }, (_, i) => at((i + 0.5) / colours));
  for (let round = 0; round < 6; round++) {
    const sums = middles.map(() => [0, 0, 0, 0]);
    for (const from of edge) {
      const apart = middles.map((middle) =>
        middle.reduce((sum, value, i) => sum + (value - (pixels[from + i] ?? 0)) ** 2, 0),
      );
      const sum = sums[apart.indexOf(Math.min(...apart))];
      if (sum === undefined) continue;
      for (let i = 0; i < 3; i++) sum[i] = (sum[i] ?? 0) + (pixels[from + i] ?? 0);
      sum[3] = (sum[3] ?? 0) + 1;
    }
    middles = middles.map((middle, group) => {
      const [red = 0, green = 0, blue = 0, count = 0] = sums[group] ?? [];
      return count === 0 ? middle : [red / count, green / count, blue / count];
    });
  }
  return middles;
}

/** Takes a pixel's rim off, where figure and background are mixed, and lets the edge fade. */
function soft(alpha: Uint8Array, { width, height }: Picture): Uint8Array {
  const sums = new Uint8Array(alpha.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let [sum, count] = [0, 0];
      for (let v = Math.max(0, y - 1); v <= y + 1 && v < height; v++)
        for (let u = Math.max(0, x - 1); u <= x + 1 && u < width; u++) {
          sum += alpha[v * width + u] ?? 0;
          count += 1;
        }
      sums[y * width + x] = Math.max(0, Math.min(255, (sum / count - 128) * 2));
    }
  return sums;
}

/** How far a person reaches to the sides of a face: the head, and the shoulders. In widths of the face. */
const headHalf = 0.95;
const shoulderHalf = 1.45;

function peopleAlpha(picture: Picture, faces: readonly Region[]): Uint8Array {
  const people = faces.map((face) => personAlpha(picture, face));
  return Uint8Array.from({ length: picture.width * picture.height }, (_, i) =>
    Math.max(...people.map((alpha) => alpha[i] ?? 0)),
  );
}

/** The head of a known face, and a body of usual width below it. */
function personAlpha({ width, height }: Picture, face: Region): Uint8Array {
  const middle = (face.x + face.width / 2) * width;
  const [wide, tall] = [face.width * width, face.height * height];
  const chin = (face.y + face.height) * height;
  const alpha = new Uint8Array(width * height);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      const aside = Math.abs(x - middle) / wide;
      const head = 1 - Math.hypot(aside / headHalf, (y - (chin - tall * 0.6)) / (tall * 1.05));
      const down = Math.max(0, Math.min(1, (y - chin) / tall + 0.3));
      const body = down === 0 ? -1 : 1 - aside / (shoulderHalf * Math.sqrt(down));
      alpha[i] = Math.max(0, Math.min(255, (Math.max(head, body) / 0.12) * 255));
    }
  return alpha;
}

/** An oval in the middle. */
function ovalAlpha({ width, height }: Picture): Uint8Array {
  const wide = Math.min(width * 0.49, height * 0.4);
  const alpha = new Uint8Array(width * height);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      const out = Math.hypot((x - width / 2) / wide, (y - height / 2) / (height * 0.49));
      alpha[i] = Math.max(0, Math.min(255, ((1 - out) / 0.12) * 255));
    }
  return alpha;
}

/** The picture with an alpha that was found in a smaller copy. */
async function withAlpha(picture: Picture, alpha: Uint8Array, small: Picture): Promise<Picture> {
  const opaque = Buffer.alloc(alpha.length * 4);
  for (let i = 0; i < alpha.length; i++) opaque.fill(alpha[i] ?? 0, i * 4, i * 4 + 3);
  for (let at = 3; at < opaque.length; at += 4) opaque[at] = 255;
  const large = await resized({ ...small, pixels: opaque }, picture);
  const pixels = Buffer.from(picture.pixels);
  for (let at = 0; at < pixels.length; at += 4) pixels[at + 3] = large.pixels[at] ?? 0;
  return { ...picture, pixels };
}

/** A figure whose background is already transparent. */
function figureOf(picture: Picture, clean: boolean): Figure {
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
  return { picture, box, clean };
}
