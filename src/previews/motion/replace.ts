// A character in the place of whoever moves through a clip.

import type { Box } from '../matte/box.ts';
import { type Figure, figureOf } from '../matte/cut-out.ts';
import { type Picture, resized, type Size } from '../pictures/picture.ts';
import type { Path } from './path.ts';
import { removerOf } from './remove.ts';
import type { SmallFrames } from './small-frames.ts';
import { paintFigure } from './sprite.ts';
import type { Subject } from './subject.ts';

/** A figure is a little larger than whom it covers. */
const cover = 1.08;
/** A soft oval shows less of itself than a figure that is cut out. */
const ovalCover = 1.25;
/** A figure that is slimmer than whom it covers is enlarged at most so much. */
const widest = 1.3;
/** Of a figure so much is above the lower edge of whom it covers. */
const headroom = 0.98;
/** Radians a frame's width a second: who walks leans forward. */
const lean = 0.16;
const mostLean = 0.12;

/** Paints the character over whom the path follows. */
export async function replacerOf(
  { width, height }: Size,
  whole: Figure,
  path: Path,
  subject: Subject,
  small: SmallFrames,
): Promise<(frame: Picture, seconds: number) => void> {
  const scaleAt = (box: Box, { box: own, clean }: Figure): number => {
    const tall = (box.height * height) / own.height;
    const wide = (box.width * width * 0.8) / own.width;
    // Whose head is in the frame keeps it there.
    const room = ((box.y + box.height / 2) * height) / (own.height * headroom);
    const wanted = Math.min(Math.max(tall, wide), tall * widest) * (clean ? cover : ovalCover);
    return box.y - box.height / 2 < 0 ? wanted : Math.min(wanted, Math.max(room, tall));
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
      y: (box.y + box.height / 2) * height + beyond * (figure.clean ? 0.25 : 0.5),
      scale,
      tilt: Math.max(-mostLean, Math.min(mostLean, path.speedAt(seconds) * lean)),
    });
  };
}

/** The largest box of a path: sizes change little, so its width and height may be of different moments. */
function largestOf({ boxes }: Path): Box {
  return {
    x: 0,
    y: 0,
    width: Math.max(...boxes.map((box) => box.width)),
    height: Math.max(...boxes.map((box) => box.height)),
  };
}

/** The figure at the size at which it is painted: scaled well once, instead of roughly in every frame. */
async function shrunk({ picture, clean }: Figure, scale: number): Promise<Figure> {
  const side = (pixels: number): number => Math.max(2, Math.round(pixels * Math.min(1, scale)));
  const small = await resized(picture, {
    width: side(picture.width),
    height: side(picture.height),
  });
  return figureOf(small, clean);
}
