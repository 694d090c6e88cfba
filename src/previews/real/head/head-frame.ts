// A face's own measure: its origin is between the eyes, x goes along them and y down the face, and 1 is the distance of
// the eyes. What a slider does is then written once for all faces, whatever their size and tilt.
import { distance, middleOf, type Point, turned } from '../../faces/point.ts';

export interface HeadFrame {
  readonly origin: Point;
  /** Pixels. */
  readonly unit: number;
  /** Radians, clockwise. */
  readonly angle: number;
}

export function headFrameOf(landmarks: readonly Point[]): HeadFrame {
  const right = middleOf(landmarks.slice(36, 42));
  const left = middleOf(landmarks.slice(42, 48));
  return {
    origin: middleOf([right, left]),
    unit: Math.max(1, distance(right, left)),
    angle: Math.atan2(left.y - right.y, left.x - right.x),
  };
}

export function intoHead({ origin, unit, angle }: HeadFrame, { x, y }: Point): Point {
  return turned({ x: x - origin.x, y: y - origin.y }, -angle, 1 / unit);
}

export function outOfHead({ origin, unit, angle }: HeadFrame, point: Point): Point {
  const { x, y } = turned(point, angle, unit);
  return { x: x + origin.x, y: y + origin.y };
}
