// Bends a picture so that a face's parts are where the sliders put them, and all that is not its head stays.
import type { Picture } from '../../pictures/picture.ts';
import { foreheadOf } from '../../faces/outline.ts';
import type { Point } from '../../faces/point.ts';
import { splineOf } from '../../faces/spline.ts';
import { bent } from './bent.ts';
import { expressed, wrinkled } from './expression.ts';
import { headFrameOf, intoHead, outOfHead } from './head-frame.ts';
import type { Sliders } from './sliders.ts';
import { turnedHead } from './turned-head.ts';

/** The head's rim with its hair, and the line beyond which nothing moves: ovals in the head's frame. */
const rim = { middle: 0.1, wide: 1.55, high: 2.1 } as const;
const still = { middle: 0.2, wide: 3, high: 3.3 } as const;
/** Points on each. */
const around = 16;
/** Landmarks are obeyed almost to the pixel. */
const slack = 1e-4;

export function reshaped(picture: Picture, landmarks: readonly Point[], sliders: Sliders): Picture {
  const frame = headFrameOf(landmarks);
  const points = landmarks.map((point) => intoHead(frame, point));
  const forehead = foreheadOf(landmarks).map((point) => intoHead(frame, point));
  const turn = (point: Point): Point => turnedHead(point, sliders);
  const moved = expressed(points, sliders).map(turn);
  // The rim below the chin is neck, and stays.
  const edge = oval(rim).filter(({ y }) => y < 1.2);
  const fixed = oval(still);
  const from = [...moved, ...wrinkled(forehead, sliders).map(turn), ...edge.map(turn), ...fixed];
  const back = splineOf(from, [...points, ...forehead, ...edge, ...fixed], slack);
  const source = (x: number, y: number): Point => {
    const here = intoHead(frame, { x, y });
    const share = fading(here);
    if (share === 0) return { x, y };
    const there = back(here.x, here.y);
    return outOfHead(frame, {
      x: here.x + (there.x - here.x) * share,
      y: here.y + (there.y - here.y) * share,
    });
  };
  const side = 2 * Math.max(still.wide, still.high + still.middle) * frame.unit * Math.SQRT2;
  const box = {
    left: frame.origin.x - side / 2,
    top: frame.origin.y - side / 2,
    width: side,
    height: side,
  };
  const step = Math.max(2, Math.round(frame.unit / 24));
  return bent(picture, box, step, source);
}

interface Oval {
  readonly middle: number;
  readonly wide: number;
  readonly high: number;
}

function oval({ middle, wide, high }: Oval): readonly Point[] {
  return Array.from({ length: around }, (_, i) => {
    const angle = (2 * Math.PI * i) / around;
    return { x: wide * Math.cos(angle), y: middle + high * Math.sin(angle) };
  });
}

/** 1 about the face, 0 from the still oval on. */
function fading({ x, y }: Point): number {
  const out = Math.hypot(x / still.wide, (y - still.middle) / still.high);
  const share = Math.min(1, Math.max(0, (1 - out) / 0.3));
  return share * share * (3 - 2 * share);
}
