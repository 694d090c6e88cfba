// Taking somebody out of a frame: what is known of the background is laid over them. It is known in small only, so it is
// blurred; the character covers most of it.
import type { Picture } from '../pictures/picture.ts';
import { widened } from '../matte/regions.ts';
import type { Path } from './path.ts';
import type { SmallFrames } from './small-frames.ts';
import type { Subject } from './subject.ts';

/** How much larger than the subject's box the part is in which things are taken out. */
const around = 1.5;
/** Pixels of a small frame that are taken out around what moves: its shadow and its blur. */
const rim = 3;

/** Gives the function that takes the subject out of a frame of any size. */
export function removerOf(
  { differences, backdrop }: Subject,
  { width, height, fps }: SmallFrames,
  path: Path,
): (frame: Picture, seconds: number) => void {
  if (backdrop === undefined) return () => undefined;
  return (frame, seconds) => {
    const index = Math.max(0, Math.min(differences.length - 1, Math.round(seconds * fps)));
    const map = differences[index];
    if (map === undefined) return;
    const box = path.at(seconds);
    const own = map.map((difference, i) => {
      const [x, y] = [(i % width) / width, Math.floor(i / width) / height];
      const inside =
        Math.abs(x - box.x) < (box.width * around) / 2 &&
        Math.abs(y - box.y) < (box.height * around) / 2;
      return inside ? difference : 0;
    });
    const mask = softened(widened(own, width, height, rim), width, height);
    layOver(frame, backdrop.behind(index), mask);
  };
}

/** 0 to 1, fading over a few pixels. */
function softened(mask: Uint8Array, width: number, height: number): Float32Array {
  const soft = new Float32Array(mask.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let [sum, count] = [0, 0];
      for (let v = Math.max(0, y - 1); v <= y + 1 && v < height; v++)
        for (let u = Math.max(0, x - 1); u <= x + 1 && u < width; u++) {
          sum += mask[v * width + u] ?? 0;
          count += 1;
        }
      soft[y * width + x] = sum / count;
    }
  return soft;
}

/** Enlarges a small picture and its mask to a frame, and lays it on. */
function layOver(frame: Picture, small: Picture, mask: Float32Array): void {
  const { width, height } = small;
  const [across, down] = [width / frame.width, height / frame.height];
  for (let y = 0, at = 0; y < frame.height; y++) {
    const v = Math.max(0, Math.min(height - 1.001, (y + 0.5) * down - 0.5));
    const row = Math.floor(v);
    for (let x = 0; x < frame.width; x++, at += 4) {
      const u = Math.max(0, Math.min(width - 1.001, (x + 0.5) * across - 0.5));
      const column = Math.floor(u);
      const a = row * width + column;
      const [right, low] = [u - column, v - row];
      const mixed = (value: (i: number) => number): number =>
        (value(a) * (1 - right) + value(a + 1) * right) * (1 - low) +
        (value(a + width) * (1 - right) + value(a + width + 1) * right) * low;
      const amount = mixed((i) => mask[i] ?? 0);
      if (amount <= 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        const behind = mixed((i) => small.pixels[i * 4 + channel] ?? 0);
        const own = frame.pixels[at + channel] ?? 0;
        frame.pixels[at + channel] = Math.round(own + (behind - own) * amount);
      }
    }
  }
}
