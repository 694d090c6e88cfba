// A square of a picture, scaled and rotated: the input of the nets.
import type { Picture } from '../pictures/picture.ts';
import type { Point } from './point.ts';

/** A square that may be rotated and may reach beyond the picture. */
export interface Square {
  /** Pixels of the picture. */
  readonly centre: Point;
  readonly side: number;
  /** Radians, clockwise on the screen. */
  readonly angle: number;
}

export interface Patch {
  /** RGB, a byte each. */
  readonly pixels: Uint8Array;
  /** Pixels. */
  readonly side: number;
}

/** At most this many samples for a pixel in each direction: more are not worth their time. */
const mostSamples = 6;

/** Transparent pixels and everything outside the picture are black. */
export function patchOf({ pixels, width, height }: Picture, square: Square, side: number): Patch {
  const patch = new Uint8Array(side * side * 3);
  const scale = square.side / side;
  const taps = Math.min(mostSamples, Math.max(1, Math.ceil(scale)));
  const cos = Math.cos(square.angle) * scale;
  const sin = Math.sin(square.angle) * scale;
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let tap = 0; tap < taps * taps; tap++) {
        const u = x + ((tap % taps) + 0.5) / taps - side / 2;
        const v = y + (Math.floor(tap / taps) + 0.5) / taps - side / 2;
        const fromX = square.centre.x + u * cos - v * sin - 0.5;
        const fromY = square.centre.y + u * sin + v * cos - 0.5;
        const left = Math.floor(fromX);
        const top = Math.floor(fromY);
        for (let corner = 0; corner < 4; corner++) {
          const atX = left + (corner & 1);
          const atY = top + (corner >> 1);
          if (atX < 0 || atY < 0 || atX >= width || atY >= height) continue;
          const at = (atY * width + atX) * 4;
          const share =
            (1 - Math.abs(fromX - atX)) *
            (1 - Math.abs(fromY - atY)) *
            ((pixels[at + 3] ?? 0) / 255);
          red += share * (pixels[at] ?? 0);
          green += share * (pixels[at + 1] ?? 0);
          blue += share * (pixels[at + 2] ?? 0);
        }
      }
      const to = (y * side + x) * 3;
      patch[to] = red / (taps * taps) + 0.5;
      patch[to + 1] = green / (taps * taps) + 0.5;
      patch[to + 2] = blue / (taps * taps) + 0.5;
    }
  return { pixels: patch, side };
}
