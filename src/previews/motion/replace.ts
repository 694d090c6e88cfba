// A character in the place of whoever moves through a clip.
import type { Box } from '../matte/box.ts';
import { type Figure, figureOf } from '../matte/cut-out.ts';
import { layOver, packed, sampled } from '../pictures/canvas.ts';
import { type Picture, resized, type Size } from '../pictures/picture.ts';
import { widened } from './blobs.ts';
import type { Path } from './path.ts';
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

// Removes the subject from a frame: the background is laid over it. The background is known at a small size only, so it
// is blurred; the character covers most of it.

/** How much larger than the subject's box the removed part may be. */
const around = 1.5;
/** Pixels of a small frame that are removed around what moves: its shadow and its blur. */
const rim = 3;

/** Returns a function that removes the subject from a frame of any size. */
function removerOf(
  { differences, background }: Subject,
  { width, height, fps }: SmallFrames,
  path: Path,
): (frame: Picture, seconds: number) => void {
  if (background === undefined) return () => undefined;
  return (frame, seconds) => {
    const index = Math.max(0, Math.min(differences.length - 1, Math.round(seconds * fps)));
    const map = differences[index];
    if (map === undefined) return;
    const box = path.at(seconds);
    const own = map.map((difference, i) => {
      const [x, y] = [(i % width) / width, Math.floor(i / width) / height];
      const inside =
        Math.abs(x - box.x) < (box.width * around) / 2 &&
        Math.abs(y - box.y) < (box.height * around) / 2;
      return inside ? difference : 0;
    });
    fill(frame, background(index), widened(own, width, height, rim));
  };
}

/** Scales the masked pixels of a small picture up, with soft edges, and lays them on a frame. */
function fill(frame: Picture, small: Picture, mask: Uint8Array): void {
  for (const [i, part] of mask.entries()) small.pixels[i * 4 + 3] = part * 255;
  const [from, to] = [packed(small), packed(frame)];
  const [across, down] = [small.width / frame.width, small.height / frame.height];
  for (let y = 0, at = 0; y < frame.height; y++)
    for (let x = 0; x < frame.width; x++, at++)
      layOver(to, at, sampled(from, small, (x + 0.5) * across - 0.5, (y + 0.5) * down - 0.5));
}
