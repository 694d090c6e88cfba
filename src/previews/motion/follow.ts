// Following a thing by its looks from frame to frame, where no motion of its own tells it from the background.

import type { Box } from '../matte/box.ts';
import type { Picture } from '../pictures/picture.ts';
import type { Offset } from './camera.ts';

/** Samples across and down of what is compared. */
const grid = 14;
/** How far a thing can go in a frame, in parts of the frame's longer side. */
const reach = 0.07;
/** How much of its new looks a thing takes on in each frame. */
const learning = 0.08;
/** How much a pixel of deviation from the expected path costs, in steps of light. */
const leash = 0.35;

export interface Look {
  readonly samples: Float32Array;
}

/** What the inner part of a box looks like: its rim is background as often as not. */
export function lookOf(frame: Picture, box: Box): Look {
  const samples = new Float32Array(grid * grid * 3);
  for (let row = 0, i = 0; row < grid; row++)
    for (let column = 0; column < grid; column++, i += 3) {
      const x = box.x + (column / (grid - 1) - 0.5) * box.width * 0.8;
      const y = box.y + (row / (grid - 1) - 0.5) * box.height * 0.8;
      const at = offsetIn(frame, x, y);
      for (let channel = 0; channel < 3; channel++)
        samples[i + channel] = frame.pixels[at + channel] ?? 0;
    }
  return { samples };
}

/** Where a thing of these looks is now; `expected` is the step it would take if it went on as before. */
export function followed(
  frame: Picture,
  box: Box,
  { samples }: Look,
  expected: Offset,
): { readonly box: Box; readonly look: Look } {
  const radius = Math.max(2, Math.round(Math.max(frame.width, frame.height) * reach));
  let best = { x: box.x, y: box.y, cost: Number.POSITIVE_INFINITY };
  for (let dy = -radius; dy <= radius; dy++)
    for (let dx = -radius; dx <= radius; dx++) {
      const moved = { ...box, x: box.x + expected.x + dx, y: box.y + expected.y + dy };
      const { samples: here } = lookOf(frame, moved);
      let cost = 0;
      for (let i = 0; i < here.length; i++) cost += Math.abs((here[i] ?? 0) - (samples[i] ?? 0));
      cost = cost / here.length + leash * Math.hypot(dx, dy);
      if (cost < best.cost) best = { x: moved.x, y: moved.y, cost };
    }
  const next = { ...box, x: inside(best.x, frame.width), y: inside(best.y, frame.height) };
  const now = lookOf(frame, next).samples;
  return {
    box: next,
    look: { samples: samples.map((old, i) => old + ((now[i] ?? 0) - old) * learning) },
  };
}

const inside = (value: number, size: number): number => Math.max(0, Math.min(size - 1, value));

function offsetIn({ width, height }: Picture, x: number, y: number): number {
  return (Math.round(inside(y, height)) * width + Math.round(inside(x, width))) * 4;
}
