// A thin-plate spline: the smoothest map of the plane that takes some points to others, like a bent sheet of metal. It
// warps one face to the shape of another without creases.
import { boundsOf, type Point } from './point.ts';

/** Where a point of one plane lies in the other. */
export type Warp = (x: number, y: number) => Point;

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
