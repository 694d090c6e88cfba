// The background behind a moving subject: the median colour of each place.
import type { Picture } from '../pictures/picture.ts';
import type { Offset } from './camera-positions.ts';
import type { SmallFrames } from './small-frames.ts';

/** The background of one frame, by its index: RGBA, transparent where it was never visible. */
export type Background = (index: number) => Picture;

/** The median is taken over at most so many frames. */
const mostSamples = 25;
/** A plane of more frame sizes has too many places that are visible too seldom. */
const largestPlane = 3;

/** Undefined: the camera moved too far, or there are too few frames to tell. */
export function backgroundOf(
  { frames, width, height }: SmallFrames,
  positions: readonly Offset[],
): Background | undefined {
  const spots = positions.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }));
  const left = Math.min(...spots.map(({ x }) => x));
  const top = Math.min(...spots.map(({ y }) => y));
  const wide = Math.max(...spots.map(({ x }) => x)) - left + width;
  const high = Math.max(...spots.map(({ y }) => y)) - top + height;
  if (frames.length < 3 || wide * high > largestPlane * width * height) return undefined;
  const step = Math.max(1, frames.length / mostSamples);
  const seen = Array.from({ length: Math.floor(frames.length / step) }, (_, i) => {
    const index = Math.floor(i * step);
    const spot = spots[index];
    return { pixels: frames[index]?.pixels, x: (spot?.x ?? 0) - left, y: (spot?.y ?? 0) - top };
  });
  const plane = new Uint8Array(wide * high * 4);
  const colours = [0, 1, 2].map(() => new Uint8Array(seen.length));
  for (let y = 0, to = 0; y < high; y++)
    for (let x = 0; x < wide; x++, to += 4) {
      let count = 0;
      for (const { pixels, x: fromX, y: fromY } of seen) {
        const [u, v] = [x - fromX, y - fromY];
        if (pixels === undefined || u < 0 || v < 0 || u >= width || v >= height) continue;
        const at = (v * width + u) * 4;
        for (const [channel, values] of colours.entries())
          values[count] = pixels[at + channel] ?? 0;
        count += 1;
      }
      if (count === 0) continue;
      for (const [channel, values] of colours.entries())
        plane[to + channel] = values.subarray(0, count).sort()[count >> 1] ?? 0;
      plane[to + 3] = 255;
    }
  return (index) => {
    const spot = spots[index] ?? { x: left, y: top };
    const pixels = Buffer.alloc(width * height * 4);
    for (let y = 0; y < height; y++) {
      const from = ((y + spot.y - top) * wide + spot.x - left) * 4;
      pixels.set(plane.subarray(from, from + width * 4), y * width * 4);
    }
    return { pixels, width, height };
  };
}
