// Lays one face over another: warped into its place, in its light, with a soft edge.
import { packed, sampled } from '../pictures/canvas.ts';
import type { Picture } from '../pictures/picture.ts';
import { type FaceTexture, type Level, levelFor } from './face-texture.ts';
import type { Face } from './find.ts';
import { depthIn, foreheadOf, lengthOf, outlineOf } from './outline.ts';
import { boundsOf, type Point } from './point.ts';

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

// A coarse grid over a face in a picture: where a point comes from and how opaque it is are computed at the nodes and
// interpolated between them, so that a frame takes milliseconds.

/** Nodes along the longer side of a face. */
const nodes = 40;

/** Nodes over the pixels of a face, `step` pixels apart. */
interface Grid {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly step: number;
  readonly columns: number;
  readonly rows: number;
}

/** Undefined when no part of the face is in the picture. */
function gridOver(outline: readonly Point[], { width, height }: Picture): Grid | undefined {
  const bounds = boundsOf(outline);
  const left = Math.max(0, Math.floor(bounds.left));
  const top = Math.max(0, Math.floor(bounds.top));
  const right = Math.min(width, Math.ceil(bounds.right));
  const bottom = Math.min(height, Math.ceil(bounds.bottom));
  if (right <= left || bottom <= top) return undefined;
  const step = Math.max(2, Math.max(right - left, bottom - top) / nodes);
  const columns = Math.ceil((right - left) / step) + 1;
  const rows = Math.ceil((bottom - top) / step) + 1;
  return { left, top, right, bottom, step, columns, rows };
}

function* nodesOf(grid: Grid): Generator<readonly [number, Point]> {
  const { left, top, step, columns, rows } = grid;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      yield [row * columns + column, { x: left + column * step, y: top + row * step }];
}

/** Smoothstep: 0 up to 0, 1 from 1 on, without a bend. */
function smooth(share: number): number {
  const within = Math.min(1, Math.max(0, share));
  return within * within * (3 - 2 * within);
}

// A thin-plate spline: the smoothest map of the plane that takes some points to others, like a bent sheet of metal. It
// warps one face to the shape of another without creases.

/** Where a point of one plane lies in the other. */
type Warp = (x: number, y: number) => Point;

/** How far the sheet may miss its points rather than bend sharply. */
const slack = 0.03;

/** Maps `from[i]` to about `to[i]`. The points of `from` must not all lie on one line. */
export function splineOf(from: readonly Point[], to: readonly Point[]): Warp {
  const count = from.length;
  const size = count + 3;
  // Where the points are and how far apart, so that numbers are near 1.
  const { left, top, right, bottom } = boundsOf(from);
  const [midX, midY] = [(left + right) / 2, (top + bottom) / 2];
  const spread = Math.max(1, right - left, bottom - top) / 2;
  const xs = Float64Array.from(from, ({ x }) => (x - midX) / spread);
  const ys = Float64Array.from(from, ({ y }) => (y - midY) / spread);
  // A row for each unknown, and two columns more for the wanted x and y.
  const rows = Array.from({ length: size }, () => new Float64Array(size + 2));
  for (const [i, row] of rows.entries())
    for (let j = 0; j < size; j++)
      row[j] =
        i < count && j < count
          ? bend(at(xs, i) - at(xs, j), at(ys, i) - at(ys, j)) + (i === j ? slack : 0)
          : i < count
            ? plane(j - count, at(xs, i), at(ys, i))
            : j < count
              ? plane(i - count, at(xs, j), at(ys, j))
              : 0;
  for (const [i, point] of to.entries()) rows[i]?.set([point.x, point.y], size);
  solve(rows);
  const forX = Float64Array.from(rows, (row) => at(row, size));
  const forY = Float64Array.from(rows, (row) => at(row, size + 1));
  return (x, y) => {
    const u = (x - midX) / spread;
    const v = (y - midY) / spread;
    let toX = at(forX, count) + at(forX, count + 1) * u + at(forX, count + 2) * v;
    let toY = at(forY, count) + at(forY, count + 1) * u + at(forY, count + 2) * v;
    for (let i = 0; i < count; i++) {
      const pull = bend(u - at(xs, i), v - at(ys, i));
      toX += pull * at(forX, i);
      toY += pull * at(forY, i);
    }
    return { x: toX, y: toY };
  };
}

const at = (numbers: Float64Array, index: number): number => numbers[index] ?? 0;

/** r² ln r² */
function bend(x: number, y: number): number {
  const square = x * x + y * y;
  return square < 1e-12 ? 0 : square * Math.log(square);
}

const plane = (term: number, x: number, y: number): number => (term === 0 ? 1 : term === 1 ? x : y);

/** Gauss-Jordan elimination in place: the columns beyond the square become the solutions. */
function solve(rows: Float64Array[]): void {
  for (let step = 0; step < rows.length; step++) {
    let best = step;
    for (let i = step + 1; i < rows.length; i++)
      if (Math.abs(rows[i]?.[step] ?? 0) > Math.abs(rows[best]?.[step] ?? 0)) best = i;
    const pivot = rows[best];
    const other = rows[step];
    if (pivot === undefined || other === undefined) return;
    rows[step] = pivot;
    rows[best] = other;
    const first = pivot[step] || 1e-12;
    for (let j = step; j < pivot.length; j++) pivot[j] = at(pivot, j) / first;
    for (const row of rows) {
      const factor = row === pivot ? 0 : at(row, step);
      if (factor === 0) continue;
      for (let j = step; j < pivot.length; j++) row[j] = at(row, j) - factor * at(pivot, j);
    }
  }
}
