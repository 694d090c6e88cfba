// How much of a laid face is seen where: its edge is soft, and hair that hangs into either face is not cut through.
import { type Grid, nodesOf, smooth } from './grid.ts';
import { distance, middleOf, type Point } from './point.ts';
import type { Tone } from './tone.ts';

/** How wide the soft edge is, in lengths of the face. */
const softness = 0.16;

/** How much each node is skin: inside the outline, away from eyes, brows and mouth. */
export function skinOf(
  grid: Grid,
  bent: Float32Array,
  landmarks: readonly Point[],
  length: number,
): Float32Array {
  const eyes = [landmarks.slice(36, 42), landmarks.slice(42, 48)].map((eye) => middleOf(eye));
  const mouth = middleOf(landmarks.slice(48, 60));
  const skin = new Float32Array(grid.columns * grid.rows);
  for (const [node, point] of nodesOf(grid)) {
    const depth = (bent[node * 3 + 2] ?? 0) / (softness * length);
    let weight = smooth(depth * 2);
    for (const eye of eyes) weight *= smooth(distance(eye, point) / (length * 0.25) - 0.6);
    weight *= smooth(distance(mouth, point) / (length * 0.28) - 0.6);
    skin[node] = weight;
  }
  return skin;
}

/** Turns each node's depth into how much of the new face is seen there: less at the edge, and none under hair. */
export function cover(
  { left, top, step, columns, rows }: Grid,
  bent: Float32Array,
  { theirHair, ourHair }: Tone,
  landmarks: readonly Point[],
  length: number,
): void {
  const eyes = [landmarks.slice(36, 42), landmarks.slice(42, 48)].map((eye) => middleOf(eye));
  const mouth = middleOf(landmarks.slice(48, 60));
  const brows = landmarks.slice(17, 27);
  const middle = middleOf(brows);
  const chin = middleOf(landmarks.slice(7, 10));
  const up = { x: (middle.x - chin.x) / length, y: (middle.y - chin.y) / length };
  const outer = theirHair.map((hair, node) => {
    const ours = ourHair[node] ?? 0;
    if (hair === 0 && ours === 0) return 0;
    const point = { x: left + (node % columns) * step, y: top + Math.floor(node / columns) * step };
    const depth = (bent[node * 3 + 2] ?? 0) / length;
    const above = ((point.x - middle.x) * up.x + (point.y - middle.y) * up.y) / length;
    const zone = Math.max(1 - smooth((depth - 0.15) / 0.15), smooth((above - 0.02) / 0.06));
    const away = (from: Point, reach: number) =>
      smooth(distance(from, point) / (length * 0.12) - reach);
    const offMouth = zone * away(mouth, 2.2);
    const [right, other] = eyes.map((eye) => away(eye, 2.8));
    // Their brows are covered with room to spare; of our hair only the brows are let through.
    const theirs = hair * offMouth * (right ?? 1) * (other ?? 1);
    const brow = nearestTo(point, brows);
    const rise = ((point.x - brow.x) * up.x + (point.y - brow.y) * up.y) / length;
    const offBrow = Math.max(
      smooth((distance(brow, point) / length - 0.05) / 0.05),
      smooth((rise - 0.015) / 0.03),
    );
    const [ourRight, ourOther] = eyes.map((eye) => away(eye, 1));
    return Math.max(theirs, ours * offMouth * offBrow * (ourRight ?? 1) * (ourOther ?? 1));
  });
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      // The most of the neighbours, and their mean: hair is never cut by the new face's edge.
      let sum = 0;
      let most = 0;
      let count = 0;
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++)
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
          const value = outer[y * columns + x] ?? 0;
          sum += value;
          most = Math.max(most, value);
          count += 1;
        }
      const node = (row * columns + column) * 3 + 2;
      const depth = (bent[node] ?? 0) / (softness * length);
      bent[node] = smooth(depth) * (1 - (sum / count + most) / 2);
    }
}

function nearestTo(point: Point, points: readonly Point[]): Point {
  let nearest = point;
  let least = Number.POSITIVE_INFINITY;
  for (const other of points) {
    const far = distance(other, point);
    if (far >= least) continue;
    least = far;
    nearest = other;
  }
  return nearest;
}
