// The sizes that clips are made in: even, as their encoders want them, and neither too small for the rehearsal strip nor
// too large to be worked on.
import type { Size } from '../pictures/picture.ts';

/** Pixels of the shorter side in which the strip can be read. */
const shortest = 96;
/** Pixels; a clip of odder proportions is squeezed. */
const longest = 2560;

/** The size with these proportions whose shorter side has so many pixels. */
export function sizeWith(width: number, height: number, shorterSide: number): Size {
  const scale = Math.max(shortest, shorterSide) / Math.min(width, height);
  return { width: even(width * scale), height: even(height * scale) };
}

/** The size with these proportions whose shorter side has at most so many pixels: nothing is enlarged, but what is tiny. */
export function sizeWithin(width: number, height: number, shorterSide: number): Size {
  return sizeWith(width, height, Math.min(shorterSide, width, height));
}

/** The shorter side, at most so long that the longer one keeps to its bound. */
export function shorterSideFor(
  width: number,
  height: number,
  shorterSide: number,
  longerSide = Infinity,
): number {
  return Math.min(shorterSide, (longerSide * Math.min(width, height)) / Math.max(width, height));
}

const even = (pixels: number): number => Math.min(longest, 2 * Math.round(pixels / 2));
