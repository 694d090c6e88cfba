// Pictures as frames are made of them: new, mixed and laid on each other in plain loops. A clip has thousands of
// them, and a round trip through a picture library for each would take longer than the clip lasts.

import type { Picture } from './picture.ts';
import { packed } from './packed.ts';

/** Width and height of a frame in pixels. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** A new picture; its content is whatever was in memory, so write every pixel. */
export function blank({ width, height }: FrameSize): Picture {
  return { pixels: Buffer.allocUnsafeSlow(width * height * 4), width, height };
}

export function copyOf({ pixels, width, height }: Picture): Picture {
  const copy = blank({ width, height });
  pixels.copy(copy.pixels);
  return copy;
}

/** Two channels of a packed pixel: every second byte. */
const pairs = 0x00ff00ff;

/** Between two packed pixels, channel by channel; `share` of the second is 0 to 256. */
export function mixed(first: number, second: number, share: number): number {
  const rest = 256 - share;
  const low = (Math.imul(first & pairs, rest) + Math.imul(second & pairs, share)) >>> 8;
  const high = Math.imul((first >>> 8) & pairs, rest) + Math.imul((second >>> 8) & pairs, share);
  return ((low & pairs) | (high & ~pairs)) >>> 0;
}

/** Cross-fades in place: `share` of the second picture is 0 to 1. Both have one size. */
export function fade(picture: Picture, second: Picture, share: number): void {
  const pixels = packed(picture);
  const others = packed(second);
  const weight = Math.round(share * 256);
  for (let i = 0; i < pixels.length; i++) pixels[i] = mixed(pixels[i] ?? 0, others[i] ?? 0, weight);
}

/** Lays a picture with alpha on another, in place; what hangs over the edges is cut off. */
export function lay(picture: Picture, over: Picture, left: number, top: number): void {
  const pixels = packed(picture);
  const laid = packed(over);
  const right = Math.min(over.width, picture.width - left);
  const bottom = Math.min(over.height, picture.height - top);
  for (let y = Math.max(0, -top); y < bottom; y++) {
    const from = y * over.width;
    const to = (y + top) * picture.width + left;
    for (let x = Math.max(0, -left); x < right; x++) {
      const colour = laid[from + x] ?? 0;
      const alpha = colour >>> 24;
      if (alpha === 0) continue;
      const below = pixels[to + x] ?? 0;
      const above = (colour & 0xffffff) | (below & 0xff000000);
      pixels[to + x] = mixed(below, above, alpha + (alpha >>> 7));
    }
  }
}

/** A rectangle of one colour with an alpha of 0 to 1, in place; it may hang over the edges. */
export function fill(
  picture: Picture,
  { left, top, right, bottom }: Box,
  [red, green, blue]: Colour,
  alpha: number,
): void {
  const pixels = packed(picture);
  const weight = Math.round(alpha * 256);
  const paint = (red | (green << 8) | (blue << 16) | 0xff000000) >>> 0;
  const last = Math.min(picture.width, Math.round(right));
  for (let y = Math.max(0, Math.round(top)); y < Math.min(picture.height, Math.round(bottom)); y++)
    for (let x = Math.max(0, Math.round(left)); x < last; x++) {
      const at = y * picture.width + x;
      pixels[at] = mixed(pixels[at] ?? 0, paint, weight);
    }
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];
