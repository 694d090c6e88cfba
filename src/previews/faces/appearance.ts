// Decides whether a tracked face is still visible. The landmark network finds landmarks even where there is no face, so
// the pixels between the landmarks are compared with those of the previous frame.
import type { Picture } from '../pictures/picture.ts';
import { uprightSquare } from './landmarks.ts';
import { patchOf } from './patch.ts';
import type { Point } from './point.ts';

/** The brightness of an upright face, on a square of `side` pixels. */
export type Appearance = Float32Array;
const side = 20;

/** Normalized to mean 0 and length 1, so that a change of light makes no difference. */
export function appearanceOf(picture: Picture, landmarks: readonly Point[]): Appearance {
  const { pixels } = patchOf(picture, uprightSquare(landmarks, 1), side);
  const appearance = new Float32Array(side * side);
  let sum = 0;
  for (let i = 0; i < appearance.length; i++) {
    const light = (pixels[i * 3] ?? 0) + 2 * (pixels[i * 3 + 1] ?? 0) + (pixels[i * 3 + 2] ?? 0);
    appearance[i] = light;
    sum += light;
  }
  let length = 1e-6;
  for (let i = 0; i < appearance.length; i++) {
    const off = (appearance[i] ?? 0) - sum / appearance.length;
    appearance[i] = off;
    length += off * off;
  }
  return appearance.map((off) => off / Math.sqrt(length));
}

/** The correlation: 1 for the same, about 0 for something else. */
export const similarity = (one: Appearance, other: Appearance): number =>
  one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);
