// A still that moves as the subject of a clip does: it shifts, comes nearer and leans as a whole.
import type { PictureAt } from '../clips/render-frames.ts';
import { black, filled, packed, sampled } from '../pictures/canvas.ts';
import { type Picture, resized, type Size } from '../pictures/picture.ts';
import type { Path } from './path.ts';

/** How far the still goes at most, in parts of the frame. */
const reach = 0.06;
/** How much it grows at most when the subject comes nearer. */
const growth = 0.15;
/** Radians for each frame's width per second, and at most. */
const lean = 0.2;
const mostLean = 0.06;
/** So much larger than the frame the still is: its edges stay out of sight. */
const margin = 1.2;

export async function animated(still: Picture, size: Size, path: Path): Promise<PictureAt> {
  const { width, height } = size;
  const base = await resized(still, size);
  const from = packed(base);
  const mean = (value: (box: Path['boxes'][number]) => number): number =>
    path.boxes.reduce((sum, box) => sum + value(box), 0) / path.boxes.length;
  const [x, y, tall] = [mean((box) => box.x), mean((box) => box.y), mean((box) => box.height)];
  return (seconds) => {
    const box = path.at(seconds);
    const [dx, dy] = [gently(box.x - x, reach) * width, gently(box.y - y, reach) * height];
    const scale = margin * (1 + gently(box.height / tall - 1, growth));
    const tilt = gently(path.speedAt(seconds) * lean, mostLean);
    const [cosine, sine] = [Math.cos(tilt) / scale, Math.sin(tilt) / scale];
    const frame = filled(size, black);
    const pixels = packed(frame);
    for (let row = 0, i = 0; row < height; row++)
      for (let column = 0; column < width; column++, i++) {
        const [u, v] = [column - width / 2 - dx, row - height / 2 - dy];
        const across = width / 2 + u * cosine + v * sine;
        pixels[i] = sampled(from, size, across, height / 2 - u * sine + v * cosine);
      }
    return frame;
  };
}

/** Small values stay as they are; none exceeds the limit. */
const gently = (value: number, limit: number): number => limit * Math.tanh(value / limit);
