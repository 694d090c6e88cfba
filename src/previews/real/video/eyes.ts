// Closes the eyes of a picture for a blink: the upper lids are drawn down over them.
import { chanceOf } from '../../../contract/base/chance.ts';
import type { Picture } from '../../pictures/picture.ts';
import type { Point } from '../../faces/point.ts';
import { type FaceFrame, frameBetween, into, paintPart } from '../../motion/face-frame.ts';

export interface Eye {
  readonly frame: FaceFrame;
  /** The middles of the upper and the lower lid; the corners are at 0. */
  readonly upper: number;
  readonly lower: number;
}

/** Both eyes, from the 68 points of a face. */
export function eyesOf(landmarks: readonly Point[]): readonly Eye[] {
  return [36, 42].flatMap((first) => {
    const points = landmarks.slice(first, first + 6);
    const [left, topLeft, topRight, right, lowRight, lowLeft] = points;
    if (!left || !topLeft || !topRight || !right || !lowRight || !lowLeft) return [];
    const frame = frameBetween(left, right);
    const heightOf = (a: Point, b: Point): number => (into(frame, a).y + into(frame, b).y) / 2;
    return [
      { frame, upper: heightOf(topLeft, topRight) * 1.1, lower: heightOf(lowLeft, lowRight) },
    ];
  });
}

/** The skin above the eye that becomes the lid, and the lashes at its rim, in half widths of the eye. */
const lid = 0.5;
const lashes = 0.16;

/** `closed` is 0 to 1. */
export function paintBlink(from: Picture, to: Picture, eye: Eye, closed: number): void {
  if (closed <= 0.02) return;
  const { upper, lower } = eye;
  paintPart(
    from,
    to,
    eye.frame,
    { left: -1.15, right: 1.15, up: upper - lid - 0.1, down: lower + 0.3 },
    (u, v, answer) => {
      const bow = Math.max(0, 1 - (u / 1.15) ** 2);
      const top = upper * bow;
      const edge = top + (lower * 1.15 * bow - top) * Math.min(1, closed);
      const from = top - lid * bow;
      if (v <= from || v >= edge) return;
      // The lashes come down as they are; the skin above them is stretched to where they are now.
      const rimHeight = lashes * bow;
      const skin = top - rimHeight - from;
      const stretched = edge - rimHeight - from;
      if (v > edge - rimHeight) answer.v = v - edge + top;
      else answer.v = from + ((v - from) * skin) / Math.max(0.001, stretched);
      const rim = (edge - v) / 0.1;
      if (rim < 1) {
        answer.paint = 0xff1c1e28;
        answer.share = Math.round(110 * (1 - rim) * bow);
      }
    },
  );
}

/** Seconds that a blink takes. */
const blinkSeconds = 0.26;

/** When the eyes are how far closed, 0 to 1: every few seconds, at times that come from the seed. */
export function blinkAt(time: number, seed: number): number {
  const every = 2.8;
  const turn = Math.floor(time / every);
  const chance = chanceOf(seed, turn);
  const begin = turn * every + 0.5 + chance() * (every - 0.6 - blinkSeconds);
  const share = (time - begin) / blinkSeconds;
  return share <= 0 || share >= 1 ? 0 : Math.sin(share * Math.PI) ** 0.7;
}
