// The path of a subject through a clip, smoothed, for any moment.
import { type Box, mixed } from '../matte/box.ts';

/** Seconds over which places and sizes are smoothed: a size seems to change when an arm is lifted. */
const placeSeconds = 0.12;
const sizeSeconds = 0.45;

/** Boxes as shares of the frame, and their speed. */
export interface Path {
  /** One for each small frame. */
  readonly boxes: readonly Box[];
  at(seconds: number): Box;
  /** To the right, in widths of the frame a second. */
  speedAt(seconds: number): number;
}

/** Seconds over which a speed is measured. */
const speedSeconds = 0.3;

export function pathOf(
  boxes: readonly Box[],
  { width, height, fps }: { readonly width: number; readonly height: number; readonly fps: number },
): Path {
  const placed = placeSeconds * fps;
  const sized = sizeSeconds * fps;
  const smooth = (value: (box: Box) => number, frames: number, size: number): readonly number[] =>
    smoothed(boxes.map(value), frames).map((v) => v / size);
  // The lower edge is tracked, not the middle: feet stay where they are when arms go up.
  const xs = smooth(({ x }) => x, placed, width);
  const lows = smooth((box) => box.y + box.height / 2, placed, height);
  const widths = smooth((box) => box.width, sized, width);
  const heights = smooth((box) => box.height, sized, height);
  const path = boxes.map((_, i) => {
    const tall = heights[i] ?? 1;
    return { x: xs[i] ?? 0.5, y: (lows[i] ?? 1) - tall / 2, width: widths[i] ?? 1, height: tall };
  });
  const at = (seconds: number): Box => {
    const place = Math.max(0, Math.min(path.length - 1, seconds * fps));
    const [a, b] = [path[Math.floor(place)], path[Math.ceil(place)]];
    if (a === undefined || b === undefined) throw new Error('bug: a path without a place');
    return mixed(a, b, place - Math.floor(place));
  };
  return {
    boxes: path,
    at,
    speedAt(seconds) {
      const half = speedSeconds / 2;
      return (at(seconds + half).x - at(seconds - half).x) / speedSeconds;
    },
  };
}

/** A Gaussian filter; near the ends it uses the values that there are. */
function smoothed(values: readonly number[], width: number): readonly number[] {
  const reach = Math.ceil(width * 2.5);
  return values.map((_, i) => {
    let [sum, weights] = [0, 0];
    // Equally far to both sides, so that a straight path is not bent at its ends.
    const far = Math.min(reach, i, values.length - 1 - i);
    for (let by = -far; by <= far; by++) {
      const weight = Math.exp(-(by * by) / (2 * width * width + 1e-9));
      sum += weight * (values[i + by] ?? 0);
      weights += weight;
    }
    return sum / weights;
  });
}
