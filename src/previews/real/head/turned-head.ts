// Where the points of a head go when it turns, nods or tilts: the front of a head is taken for half an egg with a nose on
// it. Turns are small, since what the camera did not see cannot be shown.
import { type Point, turned } from '../../faces/point.ts';
import type { Sliders } from './sliders.ts';

/** Radians at the ends of the sliders. */
const mostYaw = 0.4;
const mostPitch = 0.3;
const mostRoll = 0.18;

/** The egg, in eye distances of the head's frame: its middle is below the eyes. */
const middle = { x: 0, y: 0.35 };
const halfWidth = 1.2;
const halfHeight = 1.75;
const nose = { y: 0.62, wide: 0.28, high: 0.35, out: 0.32 } as const;
/** A head tilts about the neck. */
const neck = { x: 0, y: 1.9 };

export function turnedHead({ x, y }: Point, { yaw, pitch, roll }: Sliders): Point {
  const depth = depthAt(x, y);
  const across = x * Math.cos(yaw * mostYaw) + depth * Math.sin(yaw * mostYaw);
  const down =
    middle.y + (y - middle.y) * Math.cos(pitch * mostPitch) - depth * Math.sin(pitch * mostPitch);
  const tilted = turned({ x: across - neck.x, y: down - neck.y }, roll * mostRoll, 1);
  return { x: tilted.x + neck.x, y: tilted.y + neck.y };
}

/** How far a point of the head is before its rim. */
function depthAt(x: number, y: number): number {
  const egg = 1 - ((x - middle.x) / halfWidth) ** 2 - ((y - middle.y) / halfHeight) ** 2;
  const peak = Math.exp(-((x / nose.wide) ** 2) - ((y - nose.y) / nose.high) ** 2);
  return Math.sqrt(Math.max(0, egg)) * 0.9 + nose.out * peak;
}
