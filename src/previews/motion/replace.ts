// A character in the place of whoever moves through a clip.

import type { Box } from '../matte/box.ts';
import { type Figure, figureOf } from '../matte/cut-out.ts';
import { type Picture, resized, type Size } from '../pictures/picture.ts';
import type { Path } from './path.ts';
import { removerOf } from './remove.ts';
import type { SmallFrames } from './small-frames.ts';
import { paintFigure } from './sprite.ts';
import type { Subject } from './subject.ts';

/** How much larger than the covered person a figure is. */
const cover = 1.08;
/** How much a figure is enlarged at most that is slimmer than the covered person. */
const widest = 1.3;
/** Radians for a speed of one frame width per second: a walking figure leans forward. */
const lean = 0.16;
const mostLean = 0.12;

/** Paints the character over the subject whose path is given. */
export async function replacerOf(
  { width, height }: Size,
  whole: Figure,
  path: Path,
  subject: Subject,
  small: SmallFrames,
): Promise<(frame: Picture, seconds: number) => void> {
  const scaleAt = (box: Box, { box: own }: Figure): number => {
    const tall = (box.height * height) / own.height;
    const wide = (box.width * width * 0.8) / own.width;
    return Math.min(Math.max(tall, wide), tall * widest) * cover;
  };
  const figure = await shrunk(whole, scaleAt(largestOf(path), whole));
  const remove = removerOf(subject, small, path);
  return (frame, seconds) => {
    remove(frame, seconds);
    const box = path.at(seconds);
    const scale = scaleAt(box, figure);
    const beyond = figure.box.height * scale - box.height * height;
    paintFigure(frame, figure, {
      x: box.x * width,
      y: (box.y + box.height / 2) * height + beyond * 0.25,
      scale,
      tilt: Math.max(-mostLean, Math.min(mostLean, path.speedAt(seconds) * lean)),
    });
  };
}

/** The largest width and the largest height of a path. */
function largestOf({ boxes }: Path): Box {
  return {
    x: 0,
    y: 0,
    width: Math.max(...boxes.map((box) => box.width)),
    height: Math.max(...boxes.map((box) => box.height)),
  };
}

/** The figure at the size at which it is painted: scaled well once, instead of roughly in every frame. */
async function shrunk({ picture }: Figure, scale: number): Promise<Figure> {
  const side = (pixels: number): number => Math.max(2, Math.round(pixels * Math.min(1, scale)));
  const small = await resized(picture, {
    width: side(picture.width),
    height: side(picture.height),
  });
  return figureOf(small);
}
