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

/** A new picture of one opaque colour. */
export const filled = ({ width, height }: Size, colour: Colour): Picture => ({
  pixels: Buffer.alloc(width * height * 4, Uint8Array.of(...colour, 255)),
  width,
  height,
});

export const copyOf = ({ pixels, width, height }: Picture): Picture => ({
  pixels: Buffer.from(pixels),
  width,
  height,
});

export interface Rectangle extends Size {
  readonly left: number;
  readonly top: number;
}

/** Paints an opaque rectangle; whatever reaches beyond the edges is cut off. */
export function fill({ pixels, width, height }: Picture, area: Rectangle, colour: Colour): void {
  const paint = Uint8Array.of(...colour, 255);
  const left = Math.max(0, Math.round(area.left));
  const right = Math.min(width, Math.round(area.left + area.width));
  const bottom = Math.min(height, Math.round(area.top + area.height));
  if (left >= right) return;
  for (let y = Math.max(0, Math.round(area.top)); y < bottom; y++)
    pixels.fill(paint, (y * width + left) * 4, (y * width + right) * 4);
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

/** Puts the opaque pixels of a picture on another; whatever reaches beyond the edges is cut off. */
export function paste(picture: Picture, over: Picture, left: number, top: number): void {
  const right = Math.min(over.width, picture.width - left);
  const bottom = Math.min(over.height, picture.height - top);
  for (let y = Math.max(0, -top); y < bottom; y++)
    for (let x = Math.max(0, -left); x < right; x++) {
      const from = (y * over.width + x) * 4;
      if ((over.pixels[from + 3] ?? 0) < 128) continue;
      const to = ((y + top) * picture.width + left + x) * 4;
      for (let byte = 0; byte < 4; byte++)
        picture.pixels[to + byte] = over.pixels[from + byte] ?? 0;
    }
}
