// The shape of a face beyond its landmarks: the forehead, of which they know nothing, the line inside which one face
// is laid over another, and where the other's features go.
import { distance, middleOf, type Point } from './point.ts';

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
  const up = upOf(landmarks);
  return lifts.map(([index, lift]) => {
    const brow = pointOf(landmarks, index);
    return { x: brow.x + up.x * lift, y: brow.y + up.y * lift };
  });
}

/** From the chin up to the root of the nose. */
function upOf(landmarks: readonly Point[]): Point {
  const chin = pointOf(landmarks, 8);
  const root = pointOf(landmarks, 27);
  return { x: root.x - chin.x, y: root.y - chin.y };
}

/** How far a head is turned: 0 when it looks at the camera, about 0.5 to the left or -0.5 to the right half away. */
export function turnOf(landmarks: readonly Point[]): number {
  const nose = pointOf(landmarks, 30);
  const toRight = distance(nose, pointOf(landmarks, 2));
  const toLeft = distance(nose, pointOf(landmarks, 14));
  return (toRight - toLeft) / (toRight + toLeft);
}

/** The jaw from ear to ear and back over the forehead. */
export function outlineOf(landmarks: readonly Point[]): readonly Point[] {
  return [...landmarks.slice(0, 17), ...foreheadOf(landmarks).toReversed()];
}

/** Features that keep their own shape, by their landmarks; the corners are their first and their `far` one. */
const features: readonly { readonly from: number; readonly to: number; readonly far: number }[] = [
  { from: 36, to: 42, far: 39 },
  { from: 42, to: 48, far: 45 },
  { from: 31, to: 36, far: 35 },
  { from: 48, to: 68, far: 54 },
];

/**
 * Where the landmarks of `source` go on the face `target`: eyes and mouth to where they are there, but open or
 * closed, laughing or not, as in the source; all else exactly onto its like.
 */
export function placesOn(target: readonly Point[], source: readonly Point[]): readonly Point[] {
  const places = [...target];
  const scale = heightOf(target) / Math.max(1, heightOf(source));
  for (const { from, to, far } of features) {
    const here = axisOf(pointOf(target, from), pointOf(target, far));
    const there = axisOf(pointOf(source, from), pointOf(source, far));
    const fitting = here.length / Math.max(1, there.length);
    // Half a smile is its own width, and half the other's; so is a nose, seen from another side.
    const along = from === mouth || from === nose ? Math.sqrt(fitting * scale) : fitting;
    const local = source.slice(from, to).map(({ x, y }) => {
      const [dx, dy] = [x - there.middle.x, y - there.middle.y];
      return { u: dx * there.x + dy * there.y, v: dy * there.x - dx * there.y };
    });
    const lowest = Math.max(...local.map(({ v }) => v)) * scale;
    const room = from === mouth ? distance(here.middle, pointOf(target, 8)) * lipRoom : lowest;
    const across = scale * Math.min(1, room / Math.max(1e-6, lowest));
    for (const [index, { u, v }] of local.entries())
      places[from + index] = {
        x: here.middle.x + here.x * u * along - here.y * v * across,
        y: here.middle.y + here.y * u * along + here.x * v * across,
      };
  }
  return places;
}

/** The first landmarks of the nose's wings and of the mouth. */
const nose = 31;
const mouth = 48;
/** How much of the way from the mouth's corners to the chin the lower lip may take. */
const lipRoom = 0.6;

/** From the eyes down to the corners of the mouth. */
const heightOf = (landmarks: readonly Point[]): number =>
  distance(
    middleOf(landmarks.slice(36, 48)),
    middleOf([pointOf(landmarks, 48), pointOf(landmarks, 54)]),
  );

/** The line between two corners: its middle, its length and its direction. */
function axisOf(from: Point, to: Point) {
  const length = Math.max(1e-6, distance(from, to));
  return {
    middle: middleOf([from, to]),
    length,
    x: (to.x - from.x) / length,
    y: (to.y - from.y) / length,
  };
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
