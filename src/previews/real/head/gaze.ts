// Where eyes look: what lies between the lids is shifted, most in the middle of the eye and not at all at its edge.
import type { Picture } from '../../pictures/picture.ts';
import { depthIn } from '../../faces/outline.ts';
import type { Point } from '../../faces/point.ts';
import { type FaceFrame, frameBetween } from '../../motion/face-frame.ts';
import { bent } from './bent.ts';
import { headFrameOf } from './head-frame.ts';
import type { Sliders } from './sliders.ts';

/** How far an iris goes at most, in half widths of the eye. */
const across = 0.5;
const upwards = 0.3;

export function gazing(
  picture: Picture,
  landmarks: readonly Point[],
  { gazeAcross, gazeUp }: Sliders,
): Picture {
  if (gazeAcross === 0 && gazeUp === 0) return picture;
  const { angle } = headFrameOf(landmarks);
  let result = picture;
  for (const first of [36, 42]) {
    const lids = landmarks.slice(first, first + 6);
    const [corner, other] = [lids[0], lids[3]];
    if (corner === undefined || other === undefined) continue;
    const eye = frameBetween(corner, other);
    const [u, v] = [gazeAcross * across * eye.unit, -gazeUp * upwards * eye.unit];
    const shift = {
      x: u * Math.cos(angle) - v * Math.sin(angle),
      y: u * Math.sin(angle) + v * Math.cos(angle),
    };
    result = bent(result, boxAround(eye), 1, (x, y) => {
      const share = shareAt(lids, eye, x, y);
      return { x: x - shift.x * share, y: y - shift.y * share };
    });
  }
  return result;
}

/** Full where the iris is, nothing on the lids. */
function shareAt(lids: readonly Point[], { unit }: FaceFrame, x: number, y: number): number {
  const depth = depthIn(lids, x, y) / (unit * 0.16);
  const share = Math.min(1, Math.max(0, depth + 0.5));
  return share * share * (3 - 2 * share);
}

function boxAround({ origin, unit }: FaceFrame) {
  const side = unit * 2.6;
  return { left: origin.x - side / 2, top: origin.y - side / 2, width: side, height: side };
}
