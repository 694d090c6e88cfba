// A face that is to be laid over others: its picture in Oklab, in several sizes, and its landmarks. Made once, used
// on each frame.

import { toOklab } from '../pictures/oklab.ts';
import type { Picture } from '../pictures/picture.ts';
import type { Face } from './find.ts';
import { foreheadOf } from './outline.ts';
import type { Point } from './point.ts';

/** The face's surroundings at half the size of the one before. */
export interface Level {
  /** Oklab, three floats a pixel. */
  readonly colours: Float32Array;
  readonly width: number;
  readonly height: number;
  /** Pixels of the first level that one of this is wide. */
  readonly scale: number;
}

export interface FaceTexture {
  /** In pixels of the first level. */
  readonly landmarks: readonly Point[];
  /** Pixels of the first level. */
  readonly width: number;
  readonly levels: readonly Level[];
}

/** A larger face is not needed on any output. */
const longestSide = 1024;

export function faceTextureOf(source: Picture, { landmarks }: Face): FaceTexture {
  const points = [...landmarks, ...foreheadOf(landmarks)];
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const margin = (Math.max(...xs) - Math.min(...xs)) * 0.15;
  const left = Math.max(0, Math.floor(Math.min(...xs) - margin));
  const top = Math.max(0, Math.floor(Math.min(...ys) - margin));
  const right = Math.min(source.width, Math.ceil(Math.max(...xs) + margin));
  const bottom = Math.min(source.height, Math.ceil(Math.max(...ys) + margin));
  const width = Math.max(1, right - left);
  const height = Math.max(1, bottom - top);
  const colours = new Float32Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const from = ((y + top) * source.width + x + left) * 4;
      const { pixels } = source;
      toOklab(
        pixels[from] ?? 0,
        pixels[from + 1] ?? 0,
        pixels[from + 2] ?? 0,
        colours,
        (y * width + x) * 3,
      );
    }
  const levels: Level[] = [{ colours, width, height, scale: 1 }];
  for (let last = levels[0]; last !== undefined && Math.min(last.width, last.height) > 8; ) {
    last = halved(last);
    levels.push(last);
  }
  const small = levels.findIndex((level) => Math.max(level.width, level.height) <= longestSide);
  return {
    landmarks: landmarks.map(({ x, y }) => ({ x: x - left, y: y - top })),
    width,
    levels: levels.slice(Math.max(0, small)),
  };
}

function halved({ colours, width, height, scale }: Level): Level {
  const half = { width: width >> 1, height: height >> 1 };
  const smaller = new Float32Array(half.width * half.height * 3);
  for (let y = 0; y < half.height; y++)
    for (let x = 0; x < half.width; x++)
      for (let channel = 0; channel < 3; channel++) {
        const from = (y * 2 * width + x * 2) * 3 + channel;
        smaller[(y * half.width + x) * 3 + channel] =
          ((colours[from] ?? 0) +
            (colours[from + 3] ?? 0) +
            (colours[from + width * 3] ?? 0) +
            (colours[from + width * 3 + 3] ?? 0)) /
          4;
      }
  return { colours: smaller, ...half, scale: scale * 2 };
}

/** The level one of whose pixels is about as wide as `size` pixels of the first. */
export function levelFor({ levels }: FaceTexture, size: number): Level {
  let best = levels[0];
  for (const level of levels) if (level.scale <= size * 1.2) best = level;
  if (best === undefined) throw new Error('bug: a texture has a level');
  return best;
}

/** Writes the colour at a point (pixels of the first level) into `into`; beyond the edge, the edge's. */
export function sample(level: Level, x: number, y: number, into: Float32Array): void {
  const { colours, width, height, scale } = level;
  const u = Math.min(width - 1.001, Math.max(0, x / scale - 0.5));
  const v = Math.min(height - 1.001, Math.max(0, y / scale - 0.5));
  const left = Math.floor(u);
  const top = Math.floor(v);
  const east = u - left;
  const south = v - top;
  const from = (top * width + left) * 3;
  const below = from + width * 3;
  for (let channel = 0; channel < 3; channel++) {
    const upper =
      (colours[from + channel] ?? 0) * (1 - east) + (colours[from + channel + 3] ?? 0) * east;
    const lower =
      (colours[below + channel] ?? 0) * (1 - east) + (colours[below + channel + 3] ?? 0) * east;
    into[channel] = upper * (1 - south) + lower * south;
  }
}
