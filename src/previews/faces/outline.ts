// The shape of a face beyond its landmarks: the forehead, which no landmark marks, and the outline inside which one
// face is laid over another.
import { distance, type Point } from './point.ts';

/** How many pixels long a face is from the root of the nose to the chin; at least one. */
export const lengthOf = (landmarks: readonly Point[]): number =>
  Math.max(1, distance(pointOf(landmarks, 27), pointOf(landmarks, 8)));

/** How far above the brows the forehead's points are, in lengths of the face, from temple to temple. */
const lifts: readonly (readonly [index: number, lift: number])[] = [
  [17, 0.1],
  [18, 0.21],
  [19, 0.27],
  [21, 0.3],
  [22, 0.3],
  [24, 0.27],
  [25, 0.21],
  [26, 0.1],
];

/** Points on the forehead, in the order of the brows. */
export function foreheadOf(landmarks: readonly Point[]): readonly Point[] {
  const chin = pointOf(landmarks, 8);
  const root = pointOf(landmarks, 27);
  const up = { x: root.x - chin.x, y: root.y - chin.y };
  return lifts.map(([index, lift]) => {
    const brow = pointOf(landmarks, index);
    return { x: brow.x + up.x * lift, y: brow.y + up.y * lift };
  });
}

/** The jaw from ear to ear and back over the forehead. */
export function outlineOf(landmarks: readonly Point[]): readonly Point[] {
  return [...landmarks.slice(0, 17), ...foreheadOf(landmarks).toReversed()];
}

function pointOf(landmarks: readonly Point[], index: number): Point {
  const point = landmarks[index];
  if (point === undefined) throw new Error(`bug: a face has no landmark ${index}`);
  return point;
}

/** How far inside a closed line a point is; negative outside. */
export function depthIn(line: readonly Point[], x: number, y: number): number {
  let inside = false;
  let nearest = Number.POSITIVE_INFINITY;
  let previous = line[line.length - 1];
  for (const point of line) {
    if (previous === undefined) break;
    const dx = point.x - previous.x;
    const dy = point.y - previous.y;
    const along = ((x - previous.x) * dx + (y - previous.y) * dy) / (dx * dx + dy * dy || 1);
    const share = Math.min(1, Math.max(0, along));
    const offX = previous.x + share * dx - x;
    const offY = previous.y + share * dy - y;
    nearest = Math.min(nearest, offX * offX + offY * offY);
    if (point.y > y !== previous.y > y && x < (dx * (y - point.y)) / dy + point.x) inside = !inside;
    previous = point;
  }
  return inside ? Math.sqrt(nearest) : -Math.sqrt(nearest);
}
