// Paints a figure on a frame: shifted, scaled and tilted.
import type { Figure } from '../matte/cut-out.ts';
import { layOver, packed, sampled } from '../pictures/canvas.ts';
import type { Picture } from '../pictures/picture.ts';

/** A place in a frame, in pixels. */
export interface Pose {
  /** Where the middle of the figure's lower edge is. */
  readonly x: number;
  readonly y: number;
  /** How many pixels a pixel of the figure takes. */
  readonly scale: number;
  /** Radians clockwise, around the lower edge's middle. */
  readonly tilt: number;
}

/** Paints a figure over a frame. */
export function paintFigure(frame: Picture, { picture, box }: Figure, pose: Pose): void {
  const { width, height } = picture;
  const from = packed(picture);
  const to = packed(frame);
  const foot = { x: box.x, y: box.y + box.height / 2 };
  const [cosine, sine] = [Math.cos(pose.tilt) / pose.scale, Math.sin(pose.tilt) / pose.scale];
  const reach = Math.hypot(width, height) * pose.scale;
  const [left, right] = [clamp(pose.x - reach, frame.width), clamp(pose.x + reach, frame.width)];
  const [top, bottom] = [clamp(pose.y - reach, frame.height), clamp(pose.y + reach, frame.height)];
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      const u = foot.x + (x - pose.x) * cosine + (y - pose.y) * sine;
      const v = foot.y - (x - pose.x) * sine + (y - pose.y) * cosine;
      if (u < 0 || v < 0 || u >= width - 1 || v >= height - 1) continue;
      layOver(to, y * frame.width + x, sampled(from, picture, u, v));
    }
}

const clamp = (value: number, size: number): number =>
  Math.max(0, Math.min(size, Math.round(value)));
