// A figure put on a frame: shifted, scaled and tilted.
import type { Picture } from '../pictures/picture.ts';
import type { Figure } from '../matte/cut-out.ts';

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
  const { pixels: from, width, height } = picture;
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
      blend(frame.pixels, (y * frame.width + x) * 4, from, width, u, v);
    }
}

const clamp = (value: number, size: number): number =>
  Math.max(0, Math.min(size, Math.round(value)));

/** Lays what lies between four pixels of the figure, each counted by how opaque it is, over a pixel of the frame. */
function blend(to: Buffer, at: number, from: Buffer, width: number, u: number, v: number): void {
  const [column, row] = [Math.floor(u), Math.floor(v)];
  const [right, low] = [u - column, v - row];
  const a = (row * width + column) * 4;
  const b = a + width * 4;
  const wa = (1 - right) * (1 - low) * (from[a + 3] ?? 0);
  const wb = right * (1 - low) * (from[a + 7] ?? 0);
  const wc = (1 - right) * low * (from[b + 3] ?? 0);
  const wd = right * low * (from[b + 7] ?? 0);
  const alpha = wa + wb + wc + wd;
  if (alpha < 1) return;
  for (let i = 0; i < 3; i++) {
    const sum =
      (from[a + i] ?? 0) * wa +
      (from[a + 4 + i] ?? 0) * wb +
      (from[b + i] ?? 0) * wc +
      (from[b + 4 + i] ?? 0) * wd;
    to[at + i] = Math.round((sum + (to[at + i] ?? 0) * (255 - alpha)) / 255);
  }
}
