// Opens a mouth in a picture: the lower lip, the chin and what lies between go down, and the dark of the mouth is seen.
import type { Picture } from '../pictures/picture.ts';
import { type Point, turned } from '../faces/point.ts';
import { type FaceFrame, frameBetween, into, paintPart } from './face-frame.ts';

export interface Mouth {
  readonly frame: FaceFrame;
  /** Where the lips meet, in the middle; at the corners it is 0. */
  readonly line: number;
  /** How far below the corners the chin ends. */
  readonly chin: number;
  /** How far the lips are already apart. */
  readonly gap: number;
}

/** From the 68 points of a face. */
export function mouthOf(landmarks: readonly Point[]): Mouth | undefined {
  const [left, right, upper, lower, chin] = [60, 64, 62, 66, 8].map((index) => landmarks[index]);
  if (!left || !right || !upper || !lower || !chin) return undefined;
  const frame = frameBetween(left, right);
  // Teeth that are seen in a smile belong to the upper jaw and stay: it opens along the lower lip.
  const line = into(frame, lower).y;
  return {
    frame,
    line,
    chin: Math.max(line + 0.6, into(frame, chin).y),
    gap: Math.max(0, line - into(frame, upper).y),
  };
}

/** How far a mouth opens at most, in half widths of the mouth. */
const widest = 0.62;
/** Of the opening, how much the upper lip rises. */
const upperShare = 0.12;
/** Wider than the mouth by this is what the jaw takes along. */
const jaw = 1.9;
/** How far beyond the inner corners the lips part. */
const beyond = 1.06;

/** `open` is 0 to 1. `from` and `to` have one size, and may not be one picture. */
export function paintMouth(from: Picture, to: Picture, mouth: Mouth, open: number): void {
  if (open <= 0.01) return;
  const { line, chin, gap } = mouth;
  // A mouth that is open already has less left to open.
  const drop = Math.min(1, open) * Math.max(0.25, widest - gap * 0.5);
  const end = chin * 1.45;
  const shine = shineOn(from, mouth.frame);
  paintPart(
    from,
    to,
    mouth.frame,
    { left: -jaw, right: jaw, up: -1.1, down: end },
    (u, v, answer) => {
      // The line on which the lips meet: level at the corners, bent between them.
      const bend = line * Math.max(0, 1 - u * u);
      const below = v - bend;
      const lips = Math.max(0, 1 - (u / beyond) ** 2) ** 0.75;
      if (below <= 0) {
        const rise = drop * upperShare * lips * Math.max(0, 1 + below / 0.9);
        answer.v = v + rise;
        if (answer.v > bend) inside(u, v - bend, drop, shine, answer);
        return;
      }
      // The further down, the wider the part of the face that goes with the jaw.
      const along = Math.min(1, below / chin);
      const spread = beyond + (jaw - beyond) * along;
      const side = Math.max(0, 1 - (u / spread) ** 2);
      const profile = (1 - along) * lips + along * side * side;
      const depth = Math.min(1, Math.max(0, (v - chin * 0.8) / (end - chin * 0.8)));
      const fall = 1 - depth * depth * (3 - 2 * depth);
      answer.v = v - drop * profile * fall;
      if (answer.v < bend) inside(u, v - bend, drop, shine, answer);
    },
  );
}

/** How much light falls on the face, of a usual one's: the skin beside the mouth says it. */
function shineOn(picture: Picture, { origin, unit, angle }: FaceFrame): number {
  let sum = 0;
  for (const side of [-1.3, 1.3]) {
    const { x, y } = turned({ x: side, y: -0.5 }, angle, unit);
    const column = Math.min(picture.width - 1, Math.max(0, Math.round(origin.x + x)));
    const row = Math.min(picture.height - 1, Math.max(0, Math.round(origin.y + y)));
    const at = (row * picture.width + column) * 4;
    for (let channel = 0; channel < 3; channel++) sum += picture.pixels[at + channel] ?? 0;
  }
  return Math.min(1.15, 0.3 + sum / 6 / 190);
}

/** The dark behind the lips: teeth just under the upper lip, the tongue far down, a soft border. */
function inside(
  u: number,
  below: number,
  drop: number,
  shine: number,
  answer: { v: number; paint: number; share: number },
): void {
  const bottom = drop * Math.max(0, 1 - (u / beyond) ** 2) ** 0.75;
  const top = -bottom * upperShare;
  const place = (below - top) / Math.max(0.001, bottom - top);
  const across = ramp((0.76 - Math.abs(u)) / 0.12);
  const teeth = across * ramp((0.15 - (below - top)) / 0.04) * ramp((drop - 0.1) / 0.08);
  const tongue = across * ramp((place - 0.6) / 0.15) * ramp((drop - 0.2) / 0.1) * (1 - teeth);
  const light = (1 - Math.abs(u) * 0.55) * shine;
  const dark = 1 - teeth - tongue;
  const red = dark * 44 + light * (teeth * 196 + tongue * 112);
  const green = dark * 16 + light * (teeth * 184 + tongue * 48);
  const blue = dark * 18 + light * (teeth * 172 + tongue * 50);
  answer.paint = (red | (green << 8) | (blue << 16) | 0xff000000) >>> 0;
  const edge = Math.min(below - top, bottom - below);
  answer.share = Math.round(256 * Math.min(1, Math.max(0.25, edge / 0.05)));
}

/** How far a mouth is open at a loudness of 0 to 1: it does not gape at every noise, nor stay shut in soft speech. */
export const openness = (level: number): number =>
  Math.min(1, Math.max(0, level - 0.08) * 1.15) ** 0.85;

/** 0 below 0, 1 above 1. */
const ramp = (value: number): number => Math.min(1, Math.max(0, value));
