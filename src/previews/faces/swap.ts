// Lays one face over another: warped into its place, in its light, with a soft edge.
import { packed, sampled } from '../pictures/canvas.ts';
import type { Picture } from '../pictures/picture.ts';
import { type FaceTexture, type Level, levelFor } from './face-texture.ts';
import type { Face } from './find.ts';
import { type Grid, gridOver, nodesOf, smooth } from './grid.ts';
import { depthIn, foreheadOf, lengthOf, outlineOf } from './outline.ts';
import type { Point } from './point.ts';
import { splineOf } from './spline.ts';

/** The width of the soft edge, in lengths of the face. */
const softness = 0.16;
/** A node so opaque is skin, or an eye or a lip: these are few, so the median is skin. */
const surelyFace = 0.5;
/** Bounds of the gain: a light that is further off is a fault of the picture. */
const [leastGain, mostGain] = [0.25, 4];

/** Red, green and blue: how much lighter the target's face is than the texture's. */
type Gains = readonly [number, number, number];

/**
 * Draws into the target's own pixels, since the frames of a clip need no second copy, and returns the target. Outside
 * the face every byte stays the same.
 */
export function withFace(
  target: Picture,
  { landmarks }: Pick<Face, 'landmarks'>,
  texture: FaceTexture,
): Picture {
  const outline = outlineOf(landmarks);
  const length = lengthOf(landmarks);
  const grid = gridOver(outline, target);
  if (grid === undefined) return target;
  const level = levelFor(texture, lengthOf(texture.landmarks) / length);
  const nodes = warpedNodes(grid, outline, landmarks, texture, softness * length);
  paint(target, grid, nodes, level, gainsOf(target, grid, nodes, level));
  return target;
}

/** Three numbers a node: x and y in the texture, and the opacity, 0 to 1. */
function warpedNodes(
  grid: Grid,
  outline: readonly Point[],
  landmarks: readonly Point[],
  texture: FaceTexture,
  edge: number,
): Float32Array {
  const warp = splineOf(
    [...landmarks, ...foreheadOf(landmarks)],
    [...texture.landmarks, ...foreheadOf(texture.landmarks)],
  );
  const nodes = new Float32Array(grid.columns * grid.rows * 3);
  for (const [node, { x, y }] of nodesOf(grid)) {
    const from = warp(x, y);
    nodes.set([from.x, from.y, smooth(depthIn(outline, x, y) / edge)], node * 3);
  }
  return nodes;
}

/** The packed colour of a level at a point in pixels of the first level. */
const colourAt = (pixels: Uint32Array, { picture, scale }: Level, x: number, y: number): number =>
  sampled(pixels, picture, (x + 0.5) / scale - 0.5, (y + 0.5) / scale - 0.5);

function gainsOf(target: Picture, grid: Grid, nodes: Float32Array, level: Level): Gains {
  const [there, here] = [packed(target), packed(level.picture)];
  const theirs: number[] = [];
  const ours: number[] = [];
  for (const [node, { x, y }] of nodesOf(grid)) {
    const [fromX = 0, fromY = 0, opacity = 0] = nodes.subarray(node * 3, node * 3 + 3);
    if (opacity < surelyFace) continue;
    theirs.push(sampled(there, target, x, y));
    ours.push(colourAt(here, level, fromX, fromY));
  }
  const gain = (channel: number): number => {
    const ratio = medianOf(theirs, channel) / Math.max(1, medianOf(ours, channel));
    return Math.min(mostGain, Math.max(leastGain, ratio));
  };
  return [gain(0), gain(1), gain(2)];
}

function medianOf(colours: readonly number[], channel: number): number {
  const values = colours.map((colour) => (colour >>> (channel * 8)) & 255).sort((a, b) => a - b);
  return values[values.length >> 1] ?? 0;
}

function paint(
  { pixels, width }: Picture,
  { left, top, right, bottom, step, columns }: Grid,
  nodes: Float32Array,
  level: Level,
  gains: Gains,
): void {
  const from = packed(level.picture);
  // The numbers of the nodes, for the row of pixels at hand.
  const row = new Float32Array(columns * 3);
  for (let y = top; y < bottom; y++) {
    const upper = Math.floor((y - top) / step) * columns * 3;
    const south = (y - top) / step - Math.floor((y - top) / step);
    for (let i = 0; i < row.length; i++) {
      const above = nodes[upper + i] ?? 0;
      row[i] = above + ((nodes[upper + columns * 3 + i] ?? above) - above) * south;
    }
    for (let x = left; x < right; x++) {
      const column = Math.floor((x - left) / step);
      const east = (x - left) / step - column;
      const between = (part: number): number =>
        (row[column * 3 + part] ?? 0) * (1 - east) + (row[column * 3 + 3 + part] ?? 0) * east;
      const opacity = between(2);
      if (opacity <= 0) continue;
      const colour = colourAt(from, level, between(0), between(1));
      for (const [channel, gain] of gains.entries()) {
        const at = (y * width + x) * 4 + channel;
        const under = pixels[at] ?? 0;
        const over = Math.min(255, ((colour >>> (channel * 8)) & 255) * gain);
        pixels[at] = Math.round(under + (over - under) * opacity);
      }
    }
  }
}
