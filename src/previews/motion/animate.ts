// A still that moves as the subject of a clip does: it shifts, comes nearer and leans as a whole.
import type { PictureAt } from '../clips/render-frames.ts';
import { black, filled } from '../pictures/canvas.ts';
import { type Picture, resized, type Size } from '../pictures/picture.ts';
import type { Path } from './path.ts';
import { paintFigure } from './sprite.ts';

/** How far the still goes at most, as a share of the frame. */
const reach = 0.06;
/** How much it grows at most when the subject comes nearer. */
const growth = 0.15;
/** Radians for each frame's width per second, and at most. */
const lean = 0.2;
const mostLean = 0.06;
/** How much larger than the frame the still is, so that its edges stay out of sight. */
const margin = 1.2;

export async function animated(still: Picture, size: Size, path: Path): Promise<PictureAt> {
  const { width, height } = size;
  const box = { x: width / 2, y: height / 2, width, height };
  const figure = { picture: await resized(still, size), box };
  const mean = (value: (box: Path['boxes'][number]) => number): number =>
    path.boxes.reduce((sum, box) => sum + value(box), 0) / path.boxes.length;
  const [x, y, tall] = [mean((box) => box.x), mean((box) => box.y), mean((box) => box.height)];
  return (seconds) => {
    const now = path.at(seconds);
    const scale = margin * (1 + limited(now.height / tall - 1, growth));
    const frame = filled(size, black);
    paintFigure(frame, figure, {
      x: width * (0.5 + limited(now.x - x, reach)),
      y: height * (0.5 + scale / 2 + limited(now.y - y, reach)),
      scale,
      tilt: limited(path.speedAt(seconds) * lean, mostLean),
    });
    return frame;
  };
}

/** Small values stay as they are; none exceeds the limit. */
const limited = (value: number, limit: number): number => limit * Math.tanh(value / limit);
