// Removes the subject from a frame: the background is laid over it. The background is known at a small size only, so it
// is blurred; the character covers most of it.
import { layOver, packed, sampled } from '../pictures/canvas.ts';
import type { Picture } from '../pictures/picture.ts';
import { widened } from './blobs.ts';
import type { Path } from './path.ts';
import type { SmallFrames } from './small-frames.ts';
import type { Subject } from './subject.ts';

/** How much larger than the subject's box the removed part may be. */
const around = 1.5;
/** Pixels of a small frame that are removed around what moves: its shadow and its blur. */
const rim = 3;

/** Returns a function that removes the subject from a frame of any size. */
export function removerOf(
  { differences, background }: Subject,
  { width, height, fps }: SmallFrames,
  path: Path,
): (frame: Picture, seconds: number) => void {
  if (background === undefined) return () => undefined;
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
    fill(frame, background(index), widened(own, width, height, rim));
  };
}

/** Scales the masked pixels of a small picture up, with soft edges, and lays them on a frame. */
function fill(frame: Picture, small: Picture, mask: Uint8Array): void {
  for (const [i, part] of mask.entries()) small.pixels[i * 4 + 3] = part * 255;
  const [from, to] = [packed(small), packed(frame)];
  const [across, down] = [small.width / frame.width, small.height / frame.height];
  for (let y = 0, at = 0; y < frame.height; y++)
    for (let x = 0; x < frame.width; x++, at++)
      layOver(to, at, sampled(from, small, (x + 0.5) * across - 0.5, (y + 0.5) * down - 0.5));
}
