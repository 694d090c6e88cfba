// Points of a picture in pixels: where a face's brows, eyes, nose and mouth are.
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The middle of some points; there is at least one. */
export function middleOf(points: readonly Point[]): Point {
  let x = 0;
  let y = 0;
  for (const point of points) {
    x += point.x;
    y += point.y;
  }
  return { x: x / points.length, y: y / points.length };
}

export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The box around some points. */
export function boundsOf(points: readonly Point[]): Bounds {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return {
    left: Math.min(...xs),
    top: Math.min(...ys),
    right: Math.max(...xs),
    bottom: Math.max(...ys),
  };
}

export const distance = (from: Point, to: Point): number =>
  Math.hypot(to.x - from.x, to.y - from.y);

/** `of` turned by `angle` radians (clockwise on the screen) and scaled about the origin. */
export function turned(of: Point, angle: number, scale: number): Point {
  const cos = Math.cos(angle) * scale;
  const sin = Math.sin(angle) * scale;
  return { x: of.x * cos - of.y * sin, y: of.x * sin + of.y * cos };
}
