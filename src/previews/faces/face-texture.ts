// A face that is laid over others: its picture in several sizes, and its landmarks. Made once, used on each frame.
import { black, filled, mixed, packed } from '../pictures/canvas.ts';
import type { Picture } from '../pictures/picture.ts';
import type { Face } from './find.ts';
import type { Point } from './point.ts';

export interface FaceTexture {
  /** In pixels of the first level. */
  readonly landmarks: readonly Point[];
  /** Each level has half the width of the level before. */
  readonly levels: readonly Picture[];
}

export interface Level {
  readonly picture: Picture;
  /** How many pixels of the first level one pixel of this level is wide. */
  readonly scale: number;
}

/** A side of fewer pixels is not halved again. */
const smallest = 8;

/** Shares the pixels of the picture, which must not change while the texture is used. */
export function faceTextureOf(source: Picture, { landmarks }: Face): FaceTexture {
  const levels = [source];
  for (let last = source; Math.min(last.width, last.height) > smallest; ) {
    last = halved(last);
    levels.push(last);
  }
  return { landmarks, levels };
}

function halved(picture: Picture): Picture {
  const half = filled({ width: picture.width >> 1, height: picture.height >> 1 }, black);
  const [from, to] = [packed(picture), packed(half)];
  for (let i = 0; i < to.length; i++) {
    const at = Math.floor(i / half.width) * 2 * picture.width + (i % half.width) * 2;
    const below = at + picture.width;
    const upper = mixed(from[at] ?? 0, from[at + 1] ?? 0, 128);
    to[i] = mixed(upper, mixed(from[below] ?? 0, from[below + 1] ?? 0, 128), 128);
  }
  return half;
}

/** The level whose pixels are about as wide as `size` pixels of the first level. */
export function levelFor({ levels }: FaceTexture, size: number): Level {
  const wanted = Math.round(Math.log2(Math.max(1, size)));
  const index = Math.min(levels.length - 1, wanted);
  const picture = levels[index];
  if (picture === undefined) throw new Error('bug: a texture has no level');
  return { picture, scale: 2 ** index };
}
