// The colour between pixels.
import { mixed } from './canvas.ts';

/** Of packed pixels, at a place in parts of a pixel; beyond the edges as at the edges. */
export function sampled(
  pixels: Uint32Array,
  width: number,
  height: number,
  x: number,
  y: number,
): number {
  const left = Math.min(width - 2, Math.max(0, Math.floor(x)));
  const top = Math.min(height - 2, Math.max(0, Math.floor(y)));
  const u = Math.min(256, Math.max(0, Math.round((x - left) * 256)));
  const v = Math.min(256, Math.max(0, Math.round((y - top) * 256)));
  const at = top * width + left;
  const upper = mixed(pixels[at] ?? 0, pixels[at + 1] ?? 0, u);
  const lower = mixed(pixels[at + width] ?? 0, pixels[at + width + 1] ?? 0, u);
  return mixed(upper, lower, v);
}
