// A still that moves as the subject of a clip does.
import { type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import { cutOut, type Figure } from '../matte/cut-out.ts';
import type { PictureAt } from '../clips/render-frames.ts';
import type { Path } from './path.ts';
import type { Size } from '../clips/size.ts';
import { swayOf } from './warp.ts';

/** How far a figure goes at most, in parts of the frame: before a plain background, and before any. */
const plainReach = 0.15;
const anyReach = 0.05;
/** Over how much of the frame its motion fades towards the edges. */
const plainFade = 0.08;
const anyFade = 0.22;
/** How much it grows at most when the subject comes nearer. */
const growth = 0.18;
/** Radians a frame's width a second, and at most. */
const lean = 0.3;
const mostLean = 0.14;

export async function animated(
  still: Picture,
  { width, height }: Size,
  path: Path,
): Promise<PictureAt> {
  const base = await pictureOf(sharpOf(still).resize(width, height, { fit: 'fill' }));
  const figure: Figure = cutOut(base);
  const sway = swayOf(base, figure.box, figure.clean ? plainFade : anyFade);
  const margin = Math.min(figure.box.x, width - figure.box.x) - figure.box.width / 2;
  const reach = figure.clean
    ? Math.max(anyReach, Math.min(plainReach, margin / width - plainFade))
    : anyReach;
  const mean = (value: (box: Path['boxes'][number]) => number): number =>
    path.boxes.reduce((sum, box) => sum + value(box), 0) / path.boxes.length;
  const middle = {
    x: mean(({ x }) => x),
    y: mean(({ y }) => y),
    height: mean((box) => box.height),
  };
  return (seconds) => {
    const box = path.at(seconds);
    return sway({
      x: gently(box.x - middle.x, reach) * width,
      y: gently(box.y - middle.y, reach) * height,
      scale: 1 + gently(box.height / middle.height - 1, growth),
      tilt: gently(path.speedAt(seconds) * lean, mostLean),
    });
  };
}

/** Small values stay as they are; none goes beyond the limit. */
const gently = (value: number, limit: number): number => limit * Math.tanh(value / limit);
