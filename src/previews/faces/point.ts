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

export const distance = (from: Point, to: Point): number =>
  Math.hypot(to.x - from.x, to.y - from.y);

/** `of` turned by `angle` radians (clockwise on the screen) and scaled about the origin. */
export function turned(of: Point, angle: number, scale: number): Point {
  const cos = Math.cos(angle) * scale;
  const sin = Math.sin(angle) * scale;
  return { x: of.x * cos - of.y * sin, y: of.x * sin + of.y * cos };
}
