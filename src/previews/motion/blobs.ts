// What moves in a frame: the pixels that differ from the background, grouped into connected areas.

import type { Box } from '../matte/box.ts';
import type { Picture } from '../pictures/picture.ts';

export interface Blob {
  /** In pixels of the small frame. */
  readonly box: Box;
  /** The sum of its differences. */
  readonly weight: number;
  /** How much of the box differs, 0 to 1: whoever walks differs as a whole, whoever stands and talks only at the edges. */
  readonly fill: number;
}

/** A difference of colour that is more than noise and compression. */
const noise = 26;
/** Pixels that may lie between two parts of one blob. */
const gap = 3;
/** As a share of the frame: smaller blobs are noise. */
const smallest = 0.004;
/** As a share of the weight: a blob's box leaves out so much on each side, such as a fluttering coat. */
const flutter = 0.015;

/** How strongly each pixel differs from the background, which may be shifted by one pixel. */
export function differencesOf(frame: Picture, behind: Picture): Uint8Array {
  const { width, height } = frame;
  const differences = new Uint8Array(width * height);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      let least = apart(frame.pixels, i * 4, behind.pixels, i * 4);
      for (let v = Math.max(0, y - 1); v <= y + 1 && v < height && least > noise; v++)
        for (let u = Math.max(0, x - 1); u <= x + 1 && u < width; u++)
          least = Math.min(least, apart(frame.pixels, i * 4, behind.pixels, (v * width + u) * 4));
      differences[i] = least > noise ? least : 0;
    }
  return differences;
}

/** The largest difference of a channel. */
function apart(a: Buffer, i: number, b: Buffer, j: number): number {
  if (b[j + 3] === 0) return 0;
  return Math.max(
    Math.abs((a[i] ?? 0) - (b[j] ?? 0)),
    Math.abs((a[i + 1] ?? 0) - (b[j + 1] ?? 0)),
    Math.abs((a[i + 2] ?? 0) - (b[j + 2] ?? 0)),
  );
}

/** The blobs of a map of differences, those with the most weight first. */
export function blobsIn(differences: Uint8Array, width: number, height: number): readonly Blob[] {
  const joined = widened(differences, width, height, gap);
  const done = new Uint8Array(joined.length);
  const blobs: Blob[] = [];
  for (let seed = 0; seed < joined.length; seed++) {
    if (joined[seed] === 0 || done[seed] === 1) continue;
    const blob = blobAt(seed, joined, done, differences, width);
    if (blob !== undefined) blobs.push(blob);
  }
  return blobs.sort((a, b) => b.weight - a.weight);
}

function blobAt(
  seed: number,
  joined: Uint8Array,
  done: Uint8Array,
  differences: Uint8Array,
  width: number,
): Blob | undefined {
  const height = joined.length / width;
  const [columns, rows] = [new Float64Array(width), new Float64Array(height)];
  const open = [seed];
  done[seed] = 1;
  let [weight, area] = [0, 0];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const difference = differences[at] ?? 0;
    if (difference > 0) {
      weight += difference;
      area += 1;
      columns[x] = (columns[x] ?? 0) + difference;
      rows[y] = (rows[y] ?? 0) + difference;
    }
    for (const [u, v] of [
      [x - 1, y],
      [x + 1, y],
      [x, y - 1],
      [x, y + 1],
    ] as const) {
      const next = v * width + u;
      if (u < 0 || v < 0 || u >= width || v >= height) continue;
      if (joined[next] === 0 || done[next] === 1) continue;
      done[next] = 1;
      open.push(next);
    }
  }
  if (area < smallest * joined.length) return undefined;
  const [left, right] = spanOf(columns, weight);
  const [top, bottom] = spanOf(rows, weight);
  const box = {
    x: (left + right + 1) / 2,
    y: (top + bottom + 1) / 2,
    width: right - left + 1,
    height: bottom - top + 1,
  };
  return { box, weight, fill: area / (box.width * box.height) };
}

/** The first and the last line between which nearly all of the weight lies. */
function spanOf(lines: Float64Array, weight: number): readonly [number, number] {
  const edge = (from: number, step: number): number => {
    let line = from;
    for (let sum = lines[line] ?? 0; sum < weight * flutter; sum += lines[line] ?? 0) line += step;
    return line;
  };
  return [edge(0, 1), edge(lines.length - 1, -1)];
}

/** Every pixel that is no further than `by` from one that is set. */
export function widened(map: Uint8Array, width: number, height: number, by: number): Uint8Array {
  const across = new Uint8Array(map.length);
  const wide = new Uint8Array(map.length);
  for (let i = 0; i < map.length; i++) {
    if (map[i] === 0) continue;
    const x = i % width;
    across.fill(1, i - Math.min(by, x), i + Math.min(by, width - 1 - x) + 1);
  }
  for (let y = 0; y < height; y++)
    for (let v = Math.max(0, y - by); v <= Math.min(height - 1, y + by); v++)
      for (let x = 0; x < width; x++) if (across[v * width + x] === 1) wide[y * width + x] = 1;
  return wide;
}
