// A part of a picture as a square of a certain side: the input of the nets.
import type { Rectangle } from '../pictures/canvas.ts';
import { type Picture, sharpOf } from '../pictures/picture.ts';

export interface Patch {
  /** RGB, a byte each. */
  readonly pixels: Uint8Array;
  /** How many pixels of the picture one pixel of the patch is wide. */
  readonly scale: number;
}

/** The part, which is inside the picture, lies in the upper left; the rest of the square and transparent pixels are black. */
export async function patchOf(picture: Picture, part: Rectangle, side: number): Promise<Patch> {
  const pixels = await sharpOf(picture)
    .extract(part)
    .flatten()
    .resize(side, side, { fit: 'contain', position: 'left top' })
    .raw()
    .toBuffer();
  return { pixels, scale: Math.max(part.width, part.height) / side };
}
