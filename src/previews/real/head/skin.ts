// The colour of a face's skin, to give two pictures' people one light.
import type { Picture } from '../../pictures/picture.ts';
import type { Point } from '../../faces/point.ts';
import { toOklab } from '../../pictures/oklab.ts';

export interface Skin {
  readonly light: number;
  readonly a: number;
  readonly b: number;
}

/** Cheeks, between these landmarks, and how far from the first to the second a look is taken. */
const cheeks = [
  [31, 2],
  [35, 14],
  [31, 4],
  [35, 12],
] as const;
const looks = [0.3, 0.4, 0.5, 0.6];

/** The median of looks at both cheeks, in Oklab. */
export function skinOf({ pixels, width, height }: Picture, landmarks: readonly Point[]): Skin {
  const colours: Float32Array[] = [];
  for (const [from, to] of cheeks)
    for (const share of looks) {
      const [nose, jaw] = [landmarks[from], landmarks[to]];
      if (nose === undefined || jaw === undefined) continue;
      const x = Math.round(nose.x + (jaw.x - nose.x) * share);
      const y = Math.round(nose.y + (jaw.y - nose.y) * share);
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const at = (y * width + x) * 4;
      const colour = new Float32Array(3);
      toOklab(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, colour, 0);
      colours.push(colour);
    }
  const median = (channel: number): number =>
    colours.map((colour) => colour[channel] ?? 0).toSorted((a, b) => a - b)[colours.length >> 1] ??
    0;
  return { light: median(0), a: median(1), b: median(2) };
}
