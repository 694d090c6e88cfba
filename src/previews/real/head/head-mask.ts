// What of a cut-out person is head and hair: all of it above the jaw and near the face; below, less and less of it.
import type { Picture } from '../../pictures/picture.ts';
import { depthIn } from '../../faces/outline.ts';
import type { Point } from '../../faces/point.ts';
import { headFrameOf, intoHead } from './head-frame.ts';

/** In eye distances: how far beside and above the middle of the eyes hair may reach, and how softly it ends. */
const beside = 1.65;
const above = 2.6;
const soft = 0.35;

export interface HeadCut {
  /** How far below the jaw the head goes on before it is neck, and how softly it ends: eye distances. */
  readonly neck: number;
  readonly seam: number;
  /** How far below the eyes hair beside the neck ends. */
  readonly hair: number;
}

/** The share of each pixel that is head, 0 to 1, by the picture's own alpha. */
export function headMask(
  { pixels, width, height }: Picture,
  landmarks: readonly Point[],
  { neck, seam, hair }: HeadCut,
): Float32Array {
  const frame = headFrameOf(landmarks);
  const points = landmarks.map((point) => intoHead(frame, point));
  const jaw = points.slice(0, 17);
  // Everything above the jaw's line, closed far above the head.
  const upper = [...jaw, { x: beside * 2, y: -above * 2 }, { x: -beside * 2, y: -above * 2 }];
  const middle = ((jaw[0]?.x ?? 0) + (jaw[16]?.x ?? 0)) / 2;
  const half = Math.max(0.5, ((jaw[16]?.x ?? 0) - (jaw[0]?.x ?? 0)) / 2);
  const mask = new Float32Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const alpha = (pixels[(y * width + x) * 4 + 3] ?? 0) / 255;
      if (alpha === 0) continue;
      const { x: u, y: v } = intoHead(frame, { x, y });
      const aside = Math.abs(u - middle);
      if (aside > beside || v < -above || v > hair + soft) continue;
      const near = Math.min(smooth((beside - aside) / soft), smooth((v + above) / soft));
      const face = smooth((depthIn(upper, u, v) + neck + seam) / seam);
      // Beside the face there is hair, and it may hang.
      const hanging = smooth((aside - half * 0.98) / 0.25) * smooth((hair + soft - v) / (soft * 2));
      mask[y * width + x] = alpha * near * Math.max(face, hanging);
    }
  return mask;
}

function smooth(value: number): number {
  const share = Math.min(1, Math.max(0, value));
  return share * share * (3 - 2 * share);
}
