// An open mouth on a face: a dark oval between the lips, as high as the voice is loud.
import { type Colour, mixed, packed, packedColour } from '../pictures/canvas.ts';
import type { Picture } from '../pictures/picture.ts';
import { distance, middleOf, type Point } from './point.ts';

export interface Mouth {
  readonly middle: Point;
  /** Half its width, in pixels. */
  readonly half: number;
  /** Radians, clockwise. */
  readonly angle: number;
}

/** How much of the mouth's width opens. */
const inner = 0.8;

/** From the 68 landmarks of a face. */
export function mouthOf(landmarks: readonly Point[]): Mouth | undefined {
  const [left, right, upper, lower] = [48, 54, 62, 66].map((index) => landmarks[index]);
  if (!left || !right || !upper || !lower) return undefined;
  return {
    middle: middleOf([upper, lower]),
    half: Math.max(1, (distance(left, right) / 2) * inner),
    angle: Math.atan2(right.y - left.y, right.x - left.x),
  };
}

/** The height of a fully open mouth, as a share of its width. */
const highest = 0.75;
/** The share of the oval's radius that its soft edge takes. */
const edge = 0.2;
const dark: Colour = [44, 16, 18];

/** `open` is 0 to 1. */
export function paintMouth(picture: Picture, { middle, half, angle }: Mouth, open: number): void {
  if (open <= 0.02) return;
  const pixels = packed(picture);
  const paint = packedColour(dark);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [left, right] = [Math.max(0, Math.floor(middle.x - half)), Math.ceil(middle.x + half)];
  const [top, bottom] = [Math.max(0, Math.floor(middle.y - half)), Math.ceil(middle.y + half)];
  for (let y = top; y < Math.min(picture.height, bottom); y++)
    for (let x = left; x < Math.min(picture.width, right); x++) {
      const [dx, dy] = [x - middle.x, y - middle.y];
      const across = (dx * cos + dy * sin) / half;
      const down = (dy * cos - dx * sin) / (half * highest * open);
      const share = Math.min(1, (1 - Math.hypot(across, down)) / edge);
      const at = y * picture.width + x;
      if (share > 0) pixels[at] = mixed(pixels[at] ?? 0, paint, Math.round(share * 256));
    }
}

/** How far a mouth opens at a loudness of 0 to 1: it ignores noise, and opens in soft speech. */
export const openness = (level: number): number =>
  Math.min(1, Math.max(0, level - 0.08) * 1.15) ** 0.85;
