// What makes a photo look painted: each pixel takes the mean of that one of the four squares around it in which
// there is least going on (Kuwahara's filter), so that surfaces become flat and outlines stay sharp.
import type { FrameSize } from '../../pictures/canvas.ts';

/** Smooths RGBA pixels in place; its memory serves all pictures of one size. Alpha is kept. */
export type Smoothing = (pixels: Uint8Array) => void;

/** `radius` in pixels: the squares are one larger. */
export function smoothingOf({ width, height }: FrameSize, radius: number): Smoothing {
  const side = radius + 1;
  const area = side * side;
  // The sums over the square that begins at a pixel: three channels, brightness, and its squares.
  const channels = 5;
  const rows = new Int32Array(width * height * channels);
  const sums = new Int32Array(width * height * channels);
  const unrest = new Float32Array(width * height);
  const across = width - side;
  const down = height - side;
  return (pixels) => {
    for (let y = 0; y < height; y++) sumRow(pixels, rows, y * width, width, side);
    sumColumns(rows, sums, width * channels, height, side);
    for (let i = 0, s = 3; i < unrest.length; i++, s += channels) {
      const light = sums[s] ?? 0;
      unrest[i] = (sums[s + 1] ?? 0) - (light * light) / area;
    }
    for (let y = 0; y < height; y++) {
      const above = Math.max(0, y - radius) * width;
      const below = Math.min(down, y) * width;
      for (let x = 0; x < width; x++) {
        const left = Math.max(0, x - radius);
        const right = Math.min(across, x);
        const first = calmer(unrest, above + left, above + right);
        const best = calmer(unrest, first, calmer(unrest, below + left, below + right));
        const to = (y * width + x) * 4;
        const from = best * channels;
        pixels[to] = (sums[from] ?? 0) / area;
        pixels[to + 1] = (sums[from + 1] ?? 0) / area;
        pixels[to + 2] = (sums[from + 2] ?? 0) / area;
      }
    }
  };
}

/** The one of two squares in which less is going on. */
const calmer = (unrest: Float32Array, one: number, other: number): number =>
  (unrest[other] ?? 0) < (unrest[one] ?? 0) ? other : one;

/** Each pixel's sums over itself and the `side - 1` pixels to its right. */
function sumRow(
  pixels: Uint8Array,
  sums: Int32Array,
  first: number,
  width: number,
  side: number,
): void {
  let red = 0;
  let green = 0;
  let blue = 0;
  let light = 0;
  let squares = 0;
  // What leaves the square is taken off as what enters is added; both go from the right to the left.
  for (let x = width - 1; x >= 0; x--) {
    const at = (first + x) * 4;
    const r = pixels[at] ?? 0;
    const g = pixels[at + 1] ?? 0;
    const b = pixels[at + 2] ?? 0;
    const l = (r + g + g + b) >> 2;
    red += r;
    green += g;
    blue += b;
    light += l;
    squares += l * l;
    if (x + side < width) {
      const gone = at + side * 4;
      const goneRed = pixels[gone] ?? 0;
      const goneGreen = pixels[gone + 1] ?? 0;
      const goneBlue = pixels[gone + 2] ?? 0;
      const goneLight = (goneRed + goneGreen + goneGreen + goneBlue) >> 2;
      red -= goneRed;
      green -= goneGreen;
      blue -= goneBlue;
      light -= goneLight;
      squares -= goneLight * goneLight;
    }
    const to = (first + x) * 5;
    sums[to] = red;
    sums[to + 1] = green;
    sums[to + 2] = blue;
    sums[to + 3] = light;
    sums[to + 4] = squares;
  }
}

/** Each row becomes the sum of itself and the `side - 1` rows below it. */
function sumColumns(
  rows: Int32Array,
  sums: Int32Array,
  length: number,
  height: number,
  side: number,
): void {
  const running = new Int32Array(length);
  for (let y = 0; y < Math.min(side - 1, height); y++)
    for (let i = 0; i < length; i++) running[i] = (running[i] ?? 0) + (rows[y * length + i] ?? 0);
  for (let y = 0; y < height; y++) {
    const entering = (y + side - 1) * length;
    const leaving = y * length;
    for (let i = 0; i < length; i++) {
      const sum = (running[i] ?? 0) + (rows[entering + i] ?? 0);
      sums[leaving + i] = sum;
      running[i] = sum - (rows[leaving + i] ?? 0);
    }
  }
}
