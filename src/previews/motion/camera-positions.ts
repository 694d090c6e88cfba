// How the camera moved: the shift that most of a frame shares with the next one.
import { lightOf, type SmallFrames } from './small-frames.ts';

export interface Offset {
  readonly x: number;
  readonly y: number;
}

/** Pixels of a small frame: the side of a block, and how far around its expected place it is searched. */
const block = 12;
const reach = 6;
/** A block with a smaller range of brightness matches everywhere, and is ignored. */
const plainest = 20;
/** A frame is compared with a key frame at most so far away, as a share of its size: each new key frame adds an error. */
const farthest = 0.3;

/** Where each frame lies on a plane on which the background stands still; the first frame is at 0, 0. */
export function cameraPositions({ frames, width, height }: SmallFrames): readonly Offset[] {
  const positions: Offset[] = [];
  let key: { readonly light: Uint8Array; readonly position: Offset } | undefined;
  let here: Offset = { x: 0, y: 0 };
  let speed: Offset = { x: 0, y: 0 };
  for (const frame of frames) {
    const light = lightOf(frame);
    if (key !== undefined) {
      const expected = { x: here.x + speed.x, y: here.y + speed.y };
      const shift = shiftOf(key.light, light, width, height, {
        x: Math.round(key.position.x - expected.x),
        y: Math.round(key.position.y - expected.y),
      });
      const found = { x: key.position.x - shift.x, y: key.position.y - shift.y };
      speed = { x: found.x - here.x, y: found.y - here.y };
      here = found;
    }
    const far =
      key === undefined ||
      Math.abs(here.x - key.position.x) > width * farthest ||
      Math.abs(here.y - key.position.y) > height * farthest;
    if (far) key = { light, position: here };
    positions.push(here);
  }
  return positions;
}

/** How far the background moved in the picture: the median of its blocks. */
function shiftOf(
  from: Uint8Array,
  to: Uint8Array,
  width: number,
  height: number,
  expected: Offset,
): Offset {
  const [xs, ys]: [number[], number[]] = [[], []];
  const step = block * 2;
  const [across, down] = [Math.abs(expected.x) + reach + 1, Math.abs(expected.y) + reach + 1];
  for (let y = down; y + block + down <= height; y += step)
    for (let x = across; x + block + across <= width; x += step) {
      const found = blockShift(from, to, width, { x, y }, expected);
      if (found === undefined) continue;
      xs.push(found.x);
      ys.push(found.y);
    }
  return { x: middleOf(xs) ?? expected.x, y: middleOf(ys) ?? expected.y };
}

/** How far a block moved; undefined if it is too plain to be found again. */
function blockShift(
  from: Uint8Array,
  to: Uint8Array,
  width: number,
  { x: left, y: top }: Offset,
  expected: Offset,
): Offset | undefined {
  let [darkest, lightest] = [255, 0];
  for (let y = 0; y < block; y++)
    for (let x = 0; x < block; x++) {
      const light = from[(top + y) * width + left + x] ?? 0;
      darkest = Math.min(darkest, light);
      lightest = Math.max(lightest, light);
    }
  if (lightest - darkest < plainest) return undefined;
  const costAt = (dx: number, dy: number): number => {
    let cost = 0;
    for (let y = 0; y < block; y++) {
      const a = (top + y) * width + left;
      const b = (top + y + expected.y + dy) * width + left + expected.x + dx;
      for (let x = 0; x < block; x++) cost += Math.abs((from[a + x] ?? 0) - (to[b + x] ?? 0));
    }
    return cost;
  };
  let best = { x: 0, y: 0, cost: costAt(0, 0) };
  for (let dy = -reach; dy <= reach; dy++)
    for (let dx = -reach; dx <= reach; dx++) {
      const cost = costAt(dx, dy);
      if (cost < best.cost) best = { x: dx, y: dy, cost };
    }
  const { x, y, cost } = best;
  return {
    x: expected.x + x + between(costAt(x - 1, y), cost, costAt(x + 1, y)),
    y: expected.y + y + between(costAt(x, y - 1), cost, costAt(x, y + 1)),
  };
}

/** Where the minimum lies between the neighbours, −½ to ½: the vertex of the parabola through three costs. */
function between(before: number, least: number, after: number): number {
  const bend = before - 2 * least + after;
  return bend <= 0 ? 0 : Math.max(-0.5, Math.min(0.5, (before - after) / (2 * bend)));
}

function middleOf(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
