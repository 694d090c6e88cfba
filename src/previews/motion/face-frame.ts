// Part of a face as a place of its own: a mouth's or an eye's middle is its origin, half its width is 1, and it stands
// upright however the head is held. What moves in a face is then written once for all faces.

import type { Picture } from '../pictures/picture.ts';
import { distance, middleOf, type Point, turned } from '../faces/point.ts';
import { packed } from '../pictures/packed.ts';
import { mixed } from '../pictures/canvas.ts';
import { sampled } from '../pictures/sampling.ts';

export interface FaceFrame {
  readonly origin: Point;
  /** Half the width of the part, in pixels. */
  readonly unit: number;
  /** How far the part is turned clockwise, in radians. */
  readonly angle: number;
}

/** Between two corners, the left one in the picture first. */
export function frameBetween(left: Point, right: Point): FaceFrame {
  return {
    origin: middleOf([left, right]),
    unit: Math.max(1, distance(left, right) / 2),
    angle: Math.atan2(right.y - left.y, right.x - left.x),
  };
}

/** A point of the picture as it is in the frame. */
export function into({ origin, unit, angle }: FaceFrame, { x, y }: Point): Point {
  return turned({ x: x - origin.x, y: y - origin.y }, -angle, 1 / unit);
}

/** The part of a frame that is painted anew, in its own units. */
export interface Reach {
  readonly left: number;
  readonly right: number;
  readonly up: number;
  readonly down: number;
}

/**
 * Where the pixel at (u, v) of a frame comes from: a `v` of the same column, and how much light is left of it, 0 to
 * 256. It is asked for every pixel, so it writes its answer into a given place.
 */
export type Source = (u: number, v: number, answer: Answer) => void;

export interface Answer {
  v: number;
  /** A colour that covers what was there, packed, and how much of it: 0 to 256. */
  paint: number;
  share: number;
}

/** Paints a part of `from` into `to`, each pixel from where `source` says. Both have one size. */
export function paintPart(
  from: Picture,
  to: Picture,
  { origin, unit, angle }: FaceFrame,
  reach: Reach,
  source: Source,
): void {
  const { width, height } = from;
  const pixels = packed(from);
  const painted = packed(to);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const corners = [reach.left, reach.right].flatMap((x) =>
    [reach.up, reach.down].map((y) => turned({ x, y }, angle, unit)),
  );
  const xs = corners.map(({ x }) => x + origin.x);
  const ys = corners.map(({ y }) => y + origin.y);
  const firstX = Math.max(0, Math.floor(Math.min(...xs)));
  const lastX = Math.min(width - 1, Math.ceil(Math.max(...xs)));
  const firstY = Math.max(0, Math.floor(Math.min(...ys)));
  const lastY = Math.min(height - 1, Math.ceil(Math.max(...ys)));
  const answer: Answer = { v: 0, paint: 0, share: 0 };
  for (let y = firstY; y <= lastY; y++)
    for (let x = firstX; x <= lastX; x++) {
      const dx = (x - origin.x) / unit;
      const dy = (y - origin.y) / unit;
      const u = dx * cos + dy * sin;
      const v = dy * cos - dx * sin;
      if (u < reach.left || u > reach.right || v < reach.up || v > reach.down) continue;
      answer.v = v;
      answer.share = 0;
      source(u, v, answer);
      if (answer.v === v && answer.share === 0) continue;
      // Moved along the frame's own upright.
      const shift = (answer.v - v) * unit;
      const colour = sampled(pixels, width, height, x - shift * sin, y + shift * cos);
      painted[y * width + x] =
        answer.share > 0 ? mixed(colour, answer.paint, answer.share) : colour;
    }
}
