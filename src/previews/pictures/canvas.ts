// Paints in place with plain loops. A clip has thousands of frames, and a round trip through a picture library for each
// frame would take longer than the clip lasts.
import type { Picture, Size } from './picture.ts';

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

export const white: Colour = [255, 255, 255];
export const black: Colour = [0, 0, 0];

/** A colour of HSL: the hue in degrees, saturation and lightness 0 to 1. */
export function colourOf(hue: number, saturation: number, lightness: number): Colour {
  const range = saturation * Math.min(lightness, 1 - lightness);
  const channel = (start: number): number => {
    const sector = (start + hue / 30) % 12;
    const share = Math.max(-1, Math.min(sector - 3, 9 - sector, 1));
    return Math.round(255 * (lightness - range * share));
  };
  return [channel(0), channel(8), channel(4)];
}

/** The pixels of a picture as one number each, in place; a copy when they are not aligned to four bytes. */
export function packed({ pixels }: Picture): Uint32Array {
  const { buffer, byteOffset, byteLength } = pixels;
  if (byteOffset % 4 === 0) return new Uint32Array(buffer, byteOffset, byteLength / 4);
  return new Uint32Array(new Uint8Array(pixels).buffer);
}

/** A new picture of one opaque colour. Its pixels are aligned: see `packed`. */
export function filled({ width, height }: Size, colour: Colour): Picture {
  const picture = { pixels: Buffer.allocUnsafeSlow(width * height * 4), width, height };
  packed(picture).fill(packedColour(colour));
  return picture;
}

/** A copy whose pixels are aligned. */
export function copyOf({ pixels, width, height }: Picture): Picture {
  const copy = Buffer.allocUnsafeSlow(width * height * 4);
  pixels.copy(copy);
  return { pixels: copy, width, height };
}

/** A colour as one number: see `packed`. */
const packedColour = ([red, green, blue]: Colour): number =>
  (red | (green << 8) | (blue << 16) | 0xff000000) >>> 0;

/** Two channels of a packed pixel: every second byte. */
const pairs = 0x00ff00ff;

/** Mixes two packed pixels, channel by channel; `share` of the second is 0 to 256. */
function mixed(first: number, second: number, share: number): number {
  const rest = 256 - share;
  const low = (Math.imul(first & pairs, rest) + Math.imul(second & pairs, share)) >>> 8;
  const high = Math.imul((first >>> 8) & pairs, rest) + Math.imul((second >>> 8) & pairs, share);
  return ((low & pairs) | (high & ~pairs)) >>> 0;
}

export interface Rectangle extends Size {
  readonly left: number;
  readonly top: number;
}

/** Paints a rectangle with an alpha of 0 to 1, and leaves it opaque; whatever reaches beyond the edges is cut off. */
export function fill(picture: Picture, area: Rectangle, colour: Colour, alpha = 1): void {
  const pixels = packed(picture);
  const share = Math.round(alpha * 256);
  const paint = packedColour(colour);
  const right = Math.min(picture.width, Math.round(area.left + area.width));
  const bottom = Math.min(picture.height, Math.round(area.top + area.height));
  for (let y = Math.max(0, Math.round(area.top)); y < bottom; y++)
    for (let x = Math.max(0, Math.round(area.left)); x < right; x++) {
      const at = y * picture.width + x;
      pixels[at] = (mixed(pixels[at] ?? 0, paint, share) | 0xff000000) >>> 0;
    }
}

/** The edge of a rectangle, `thick` pixels wide. */
export function outline(picture: Picture, area: Rectangle, colour: Colour, thick: number): void {
  const { left, top, width, height } = area;
  fill(picture, { left, top, width, height: thick }, colour);
  fill(picture, { left, top: top + height - thick, width, height: thick }, colour);
  fill(picture, { left, top, width: thick, height }, colour);
  fill(picture, { left: left + width - thick, top, width: thick, height }, colour);
}

/** The oval that fits into a picture; around it, the picture is transparent. */
export function ovalOf(picture: Picture): Picture {
  const { width, height } = picture;
  const oval = copyOf(picture);
  for (let y = 0, alpha = 3; y < height; y++)
    for (let x = 0; x < width; x++, alpha += 4)
      if (Math.hypot((2 * x + 1) / width - 1, (2 * y + 1) / height - 1) > 1) oval.pixels[alpha] = 0;
  return oval;
}

/** Puts a picture with alpha on another; whatever reaches beyond the edges is cut off. */
export function paste(picture: Picture, over: Picture, left: number, top: number): void {
  const pixels = packed(picture);
  const laid = packed(over);
  const right = Math.min(over.width, picture.width - left);
  const bottom = Math.min(over.height, picture.height - top);
  for (let y = Math.max(0, -top); y < bottom; y++)
    for (let x = Math.max(0, -left); x < right; x++) {
      const at = (y + top) * picture.width + left + x;
      layOver(pixels, at, laid[y * over.width + x] ?? 0);
    }
}

/** Lays a packed pixel over another one, by its alpha. */
function layOver(pixels: Uint32Array, at: number, colour: number): void {
  const alpha = colour >>> 24;
  if (alpha === 0) return;
  const below = pixels[at] ?? 0;
  const opaque = (colour & 0xffffff) | (below & 0xff000000);
  pixels[at] = mixed(below, opaque, alpha + (alpha >>> 7));
}
