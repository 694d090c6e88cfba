// A face as after a good night: skin smoother, eyes, brows and lips crisper, a little more contrast.
import { type Picture, pictureOf, sharpOf } from '../../pictures/picture.ts';
import { depthIn, lengthOf, outlineOf } from '../../faces/outline.ts';
import type { Point } from '../../faces/point.ts';
import { copyOf } from '../../pictures/canvas.ts';

/** Detail weaker than this (of 255) is the skin's grain, and is softened; stronger is a lash or a lip, and is lifted. */
const grain = 9;
const softened = 0.45;
const lifted = 1.3;
/** How much the larger shapes of the face gain. */
const contrast = 0.14;

export async function enhanced(picture: Picture, landmarks: readonly Point[]): Promise<Picture> {
  const length = lengthOf(landmarks);
  const outline = outlineOf(landmarks);
  const [fine, broad] = await Promise.all(
    [0.018, 0.12].map((radius) => pictureOf(sharpOf(picture).blur(Math.max(0.6, length * radius)))),
  );
  if (fine === undefined || broad === undefined) throw new Error('bug: two blurs are two pictures');
  const result = copyOf(picture);
  const xs = outline.map(({ x }) => x);
  const ys = outline.map(({ y }) => y);
  const { width, height } = picture;
  const right = Math.min(width, Math.max(...xs));
  const bottom = Math.min(height, Math.max(...ys));
  for (let y = Math.max(0, Math.floor(Math.min(...ys))); y < bottom; y++)
    for (let x = Math.max(0, Math.floor(Math.min(...xs))); x < right; x++) {
      const share = Math.min(1, Math.max(0, depthIn(outline, x, y) / (length * 0.12)));
      if (share === 0) continue;
      for (let at = (y * width + x) * 4, channel = 0; channel < 3; channel++, at++) {
        const own = picture.pixels[at] ?? 0;
        const soft = fine.pixels[at] ?? 0;
        const detail = own - soft;
        const strength = Math.min(1, (detail / grain) ** 2);
        const gain = softened + (lifted - softened) * strength;
        const shape = (soft - (broad.pixels[at] ?? 0)) * contrast;
        const better = soft + detail * gain + shape;
        const value = own + (better - own) * share;
        result.pixels[at] = Math.min(255, Math.max(0, Math.round(value)));
      }
    }
  return result;
}
