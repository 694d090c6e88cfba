// Where the parts of a face go when its expression changes: distances are in eye distances of the head's own frame.
import { middleOf, type Point } from '../../faces/point.ts';
import type { Sliders } from './sliders.ts';

/** How far each slider moves what it moves at most; tried on the samples until faces stayed faces. */
const reach = {
  brow: 0.13,
  eyeWider: 0.05,
  smileOut: 0.14,
  smileUp: 0.17,
  grimDown: 0.15,
  mouthAcross: 0.17,
  mouthUp: 0.12,
  narrower: 0.36,
  fuller: 0.3,
  pressed: 0.5,
} as const;

/** The 68 landmarks in the head's frame, moved. */
export function expressed(points: readonly Point[], sliders: Sliders): readonly Point[] {
  const moved = points.map((point) => ({ ...point }));
  const shift = (index: number, x: number, y: number): void => {
    const point = moved[index];
    if (point === undefined) return;
    point.x += x;
    point.y += y;
  };
  raiseBrows(sliders.brows, shift);
  openEyes(points, Math.max(0, sliders.eyes), shift);
  moveMouth(points, sliders, shift);
  return moved;
}

/** The forehead's points: the skin is pulled along with the brows. */
export const wrinkled = (forehead: readonly Point[], { brows }: Sliders): readonly Point[] =>
  forehead.map(({ x, y }) => ({ x, y: y - brows * reach.brow * 0.5 }));

type Shift = (index: number, x: number, y: number) => void;

function raiseBrows(brows: number, shift: Shift): void {
  for (let index = 17; index < 27; index++) {
    // Lowered brows come together, and their inner ends go down most.
    const inner = 1 - Math.min(Math.abs(index - 21), Math.abs(index - 22)) / 5;
    const share = brows < 0 ? 0.45 + 0.55 * inner : 0.75 + 0.25 * (1 - inner);
    const together = brows < 0 ? (index < 22 ? -brows : brows) * 0.07 * inner : 0;
    shift(index, together, -brows * reach.brow * share);
  }
}

/** Wider: the upper lid goes up, the lower a little down. To close eyes is another matter: the lids cover them. */
function openEyes(points: readonly Point[], wider: number, shift: Shift): void {
  for (const first of [36, 42]) {
    const middle = middleOf(points.slice(first, first + 6));
    for (const index of [1, 2]) shift(first + index, 0, -wider * reach.eyeWider);
    for (const index of [4, 5]) shift(first + index, 0, wider * reach.eyeWider * 0.4);
    for (const index of [0, 3])
      shift(first + index, ((points[first + index]?.x ?? 0) - middle.x) * wider * 0.06, 0);
  }
}

function moveMouth(points: readonly Point[], sliders: Sliders, shift: Shift): void {
  const { smile, grim, mouthAcross, mouthUp, pout, purse } = sliders;
  const middle = middleOf(points.slice(48, 68));
  const half = Math.max(0.1, ((points[54]?.x ?? 0) - (points[48]?.x ?? 0)) / 2);
  const narrow = reach.narrower * Math.max(pout * 0.75, purse) - 0.15 * Math.min(0, pout + purse);
  for (let index = 48; index < 68; index++) {
    const point = points[index] ?? middle;
    const across = (point.x - middle.x) / half;
    const down = point.y - middle.y;
    // 1 at the corners, 0 in the middle of the lips.
    const corner = Math.min(1, across * across);
    const out = Math.sign(across) * corner;
    let x = smile * reach.smileOut * out - narrow * half * across;
    let y = -smile * reach.smileUp * (corner - 0.25) + grim * reach.grimDown * (corner - 0.15);
    // A pout's lips are full, a pursed or grim mouth's thin.
    const full = reach.fuller * pout - reach.pressed * Math.max(0, grim, purse * 0.6);
    y += down * Math.max(-0.75, full) * (1 - corner);
    x += mouthAcross * reach.mouthAcross;
    y -= mouthUp * reach.mouthUp;
    shift(index, x, y);
  }
  // What is around goes along a bit: wings of the nose, chin, cheeks.
  for (let index = 31; index < 36; index++)
    shift(index, mouthAcross * 0.03 + (index - 33) * smile * 0.012, -mouthUp * 0.015);
  for (let index = 6; index <= 10; index++)
    shift(index, mouthAcross * 0.05, -mouthUp * 0.03 - pout * 0.02);
  for (const index of [3, 4, 12, 13]) shift(index, (index < 8 ? -1 : 1) * smile * 0.03, 0);
}
