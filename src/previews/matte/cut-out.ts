// A figure without what is behind it, as well as plain means find it: by its own transparency, by a background that is of
// few colours, else as a soft oval of the picture.
import type { Picture } from '../pictures/picture.ts';
import type { Box } from './box.ts';
import { salientBox } from './salient.ts';

export interface Figure {
  /** With soft edges: what is not the figure is transparent. */
  readonly picture: Picture;
  /** Where the figure is in it, in pixels. */
  readonly box: Box;
  /** True where the background could be told from the figure. */
  readonly clean: boolean;
}

/** How many colours a plain background has, and how far from them, in steps of a channel, it may be. */
const colours = 3;
const tolerance = 34;
/** Parts of a picture's edge that have to be of these colours. */
const plainEdge = 0.85;
/** Parts of a picture that a background takes. */
const leastBackground = 0.12;
const mostBackground = 0.92;

export function cutOut(picture: Picture): Figure {
  const clear = countWhere(picture, (at) => (picture.pixels[at + 3] ?? 255) < 128);
  if (clear > 0.02) return figureOf(picture, picture.pixels, true);
  const alpha = plainAlpha(picture);
  return alpha === undefined
    ? ovalOf(picture)
    : figureOf(picture, withAlpha(picture, soft(alpha, picture)), true);
}

function countWhere({ pixels }: Picture, is: (at: number) => boolean): number {
  let count = 0;
  for (let at = 0; at < pixels.length; at += 4) if (is(at)) count += 1;
  return (count * 4) / pixels.length;
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

/** An oval around what stands out. */
function ovalOf(picture: Picture): Figure {
  const { width, height } = picture;
  const salient = salientBox(picture);
  const wide = Math.min(width * 0.49, Math.max(salient.width * 0.6, height * 0.34));
  const high = height * 0.49;
  const middle = Math.max(wide, Math.min(width - wide, (salient.x + width / 2) / 2));
  const alpha = new Uint8Array(width * height);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      const out = Math.hypot((x - middle) / wide, (y - height / 2) / high);
      alpha[i] = Math.max(0, Math.min(255, ((1 - out) / 0.12) * 255));
    }
  return figureOf(picture, withAlpha(picture, alpha), false);
}

function withAlpha({ pixels }: Picture, alpha: Uint8Array): Buffer {
  const cut = Buffer.from(pixels);
  for (let i = 0; i < alpha.length; i++) cut[i * 4 + 3] = alpha[i] ?? 0;
  return cut;
}

/** A figure whose background is already transparent. */
export function figureOf({ width, height }: Picture, pixels: Buffer, clean: boolean): Figure {
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
  return { picture: { pixels, width, height }, box, clean };
}
