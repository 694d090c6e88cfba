// How a clip is to be held: cameras write pictures as their sensor lies, and beside them how to turn them.

import { packed } from '../pictures/canvas.ts';
import type { Picture } from '../pictures/picture.ts';

/** Quarter turns clockwise. */
export type Turns = 0 | 1 | 2 | 3;

/** From a display matrix: nine 32-bit numbers, the first two of which are the turn's cosine and sine. */
export function turnsOf(matrix: Buffer | null): Turns {
  if (matrix === null || matrix.length < 8) return 0;
  const [cosine, sine] = [matrix.readInt32LE(0), matrix.readInt32LE(4)];
  const turns = ((Math.round((Math.atan2(sine, cosine) * 2) / Math.PI) % 4) + 4) % 4;
  return turns === 1 || turns === 2 || turns === 3 ? turns : 0;
}

export function turned(picture: Picture, turns: Turns): Picture {
  if (turns === 0) return picture;
  const { width, height } = picture;
  const from = packed(picture);
  const across = turns === 2 ? width : height;
  const to = new Uint32Array(from.length);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      if (turns === 2) to[from.length - 1 - i] = from[i] ?? 0;
      else if (turns === 1) to[x * across + (height - 1 - y)] = from[i] ?? 0;
      else to[(width - 1 - x) * across + y] = from[i] ?? 0;
    }
  return {
    pixels: Buffer.from(to.buffer),
    width: across,
    height: turns === 2 ? height : width,
  };
}
