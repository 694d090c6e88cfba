// Where the subject is in a frame in which nothing moves by itself: what has not the colours of the frame's edges, near
// the middle.
import type { Picture } from '../pictures/picture.ts';
import type { Box } from './box.ts';
import { thingsIn } from './regions.ts';

/** The edge at the left, the right and the top, in parts of the frame. Subjects stand on the lower one. */
const rim = 0.08;
/** Colours are told apart in so many steps a channel. */
const steps = 8;
/** How far from the middle a subject may be, in parts of the frame: a bell's width. */
const near = 0.3;
/** What is taken when nothing stands out: somebody who stands in the middle. */
const usual = { x: 0.5, y: 0.6, width: 0.34, height: 0.8 };
/** A subject is larger than this, and smaller, in parts of the frame's height. */
const lowest = 0.25;
const highest = 0.95;

export function salientBox(frame: Picture): Box {
  const { width, height } = frame;
  const rims = colourCounts(frame, (x, y) => isRim(x / width, y / height));
  const all = colourCounts(frame, () => true);
  const map = new Uint8Array(width * height);
  for (let i = 0; i < map.length; i++) {
    const colour = colourAt(frame.pixels, i * 4);
    const [x, y] = [(i % width) / width - 0.5, Math.floor(i / width) / height - 0.55];
    // How much rarer the colour is at the edges than in the frame.
    const rare = 1 - Math.min(1, (rims.share(colour) + 1e-4) / (all.share(colour) + 1e-4));
    const value = rare * Math.exp(-(x * x + y * y) / (2 * near * near));
    map[i] = value > 0.3 ? Math.round(value * 255) : 0;
  }
  const [thing] = thingsIn(map, width, height);
  if (thing === undefined || thing.box.height < height * lowest) return scaled(usual, frame);
  const { box } = thing;
  return { ...box, height: Math.min(box.height, height * highest) };
}

const isRim = (x: number, y: number): boolean => x < rim || x > 1 - rim || y < rim;

function scaled({ x, y, ...size }: Box, { width, height }: Picture): Box {
  return { x: x * width, y: y * height, width: size.width * width, height: size.height * height };
}

function colourAt(pixels: Buffer, at: number): number {
  const step = (value: number | undefined): number => Math.floor(((value ?? 0) * steps) / 256);
  return (step(pixels[at]) * steps + step(pixels[at + 1])) * steps + step(pixels[at + 2]);
}

function colourCounts(
  { pixels, width, height }: Picture,
  counts: (x: number, y: number) => boolean,
) {
  const bins = new Float64Array(steps ** 3);
  let total = 0;
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += 4) {
      if (!counts(x, y)) continue;
      const colour = colourAt(pixels, at);
      bins[colour] = (bins[colour] ?? 0) + 1;
      total += 1;
    }
  return { share: (colour: number): number => (bins[colour] ?? 0) / Math.max(1, total) };
}
