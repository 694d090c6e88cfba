// A head that is held by somebody alive: it nods and leans a little, and the room behind it stays where it is.

import type { Picture } from '../../pictures/picture.ts';
import { distance, middleOf, type Point } from '../../faces/point.ts';
import { packed } from '../../pictures/packed.ts';
import { sampled } from '../../pictures/sampling.ts';

export interface Head {
  readonly middle: Point;
  /** Where it is held: below the chin. */
  readonly neck: Point;
  /** How far around its middle the picture goes with it, in pixels. */
  readonly reach: number;
}

/** From the 68 points of a face. */
export function headOf(landmarks: readonly Point[]): Head {
  const brows = middleOf(landmarks.slice(17, 27));
  const chin = landmarks[8] ?? brows;
  const tall = Math.max(1, distance(brows, chin));
  return {
    middle: middleOf([brows, chin]),
    neck: { x: chin.x + (chin.x - brows.x) * 0.5, y: chin.y + (chin.y - brows.y) * 0.5 },
    reach: tall * 2.1,
  };
}

export interface Lean {
  /** Radians, clockwise. */
  readonly angle: number;
  /** In pixels. */
  readonly across: number;
  readonly down: number;
}

/** How a head leans at a time in seconds; louder words make it nod. `strength`: 1 is usual. */
export function leanAt(time: number, level: number, { reach }: Head, strength: number): Lean {
  const slow = Math.sin(time * 1.3) + 0.5 * Math.sin(time * 2.9 + 1);
  return {
    angle: 0.022 * strength * slow,
    across: reach * 0.008 * strength * Math.sin(time * 1.7 + 0.6),
    down: reach * strength * (0.01 * Math.sin(time * 2.3) + 0.014 * level),
  };
}

/** Paints the head of `from` into `to` as it leans. Both have one size, and may not be one picture. */
export function paintLean(from: Picture, to: Picture, head: Head, lean: Lean): void {
  const { width, height } = from;
  const { middle, neck, reach } = head;
  const pixels = packed(from);
  const painted = packed(to);
  const cos = Math.cos(lean.angle) - 1;
  const sin = Math.sin(lean.angle);
  const lastY = Math.min(height - 1, Math.ceil(middle.y + reach));
  const lastX = Math.min(width - 1, Math.ceil(middle.x + reach));
  for (let y = Math.max(0, Math.floor(middle.y - reach)); y <= lastY; y++)
    for (let x = Math.max(0, Math.floor(middle.x - reach)); x <= lastX; x++) {
      const off = ((x - middle.x) ** 2 + (y - middle.y) ** 2) / (reach * reach);
      if (off >= 1) continue;
      const share = (1 - off) ** 2;
      const dx = x - neck.x;
      const dy = y - neck.y;
      // Back to where it was before it leaned.
      const fromX = x + share * (dx * cos + dy * sin - lean.across);
      const fromY = y + share * (dy * cos - dx * sin - lean.down);
      painted[y * width + x] = sampled(pixels, width, height, fromX, fromY);
    }
}
