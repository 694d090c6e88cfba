// A coarse grid over a face in a picture: where a point comes from and how opaque it is are computed at the nodes and
// interpolated between them, so that a frame takes milliseconds.
import type { Picture } from '../pictures/picture.ts';
import { boundsOf, type Point } from './point.ts';

/** Nodes along the longer side of a face. */
const nodes = 40;

/** Nodes over the pixels of a face, `step` pixels apart. */
export interface Grid {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly step: number;
  readonly columns: number;
  readonly rows: number;
}

/** Undefined when no part of the face is in the picture. */
export function gridOver(outline: readonly Point[], { width, height }: Picture): Grid | undefined {
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

export function* nodesOf(grid: Grid): Generator<readonly [number, Point]> {
  const { left, top, step, columns, rows } = grid;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      yield [row * columns + column, { x: left + column * step, y: top + row * step }];
}

/** Smoothstep: 0 up to 0, 1 from 1 on, without a bend. */
export function smooth(share: number): number {
  const within = Math.min(1, Math.max(0, share));
  return within * within * (3 - 2 * within);
}
