// Landmarks tremble by a pixel or so from frame to frame, and a face laid by them would shiver. Each is the mean of the
// frames before and after it, in equal number: that is steady, and does not lag behind a head that moves.
import type { Point } from './point.ts';
import type { Presence, SeenFrame, Sight } from './track.ts';

/** Weights of a frame and of those one and two frames off. */
const weights = [6, 4, 1] as const;
const reach = weights.length - 1;

export async function* steadied(frames: AsyncIterable<SeenFrame>): AsyncGenerator<SeenFrame> {
  // The frame at hand, with as many around it as there are.
  const window: SeenFrame[] = [];
  let place = 0;
  for await (const frame of frames) {
    window.push(frame);
    if (window.length <= place + reach) continue;
    yield steadyAt(window, place);
    if (place < reach) place += 1;
    else window.shift();
  }
  for (; place < window.length; place++) yield steadyAt(window, place);
}

function steadyAt(window: readonly SeenFrame[], place: number): SeenFrame {
  const frame = window[place];
  if (frame === undefined) throw new Error('bug: no frame is left to steady');
  const sights = frame.sights.map((sight) => steady(sight, window, place));
  return { ...frame, sights };
}

function steady(
  { presence, landmarks }: Sight,
  window: readonly SeenFrame[],
  place: number,
): Sight {
  const sums = landmarks.map(({ x, y }) => ({ x: x * weights[0], y: y * weights[0] }));
  let total: number = weights[0];
  for (const [step, weight] of weights.entries()) {
    if (step === 0) continue;
    // Only pairs count: one side alone would pull the face back or ahead.
    const before = landmarksOf(window[place - step], presence);
    const after = landmarksOf(window[place + step], presence);
    if (before === undefined || after === undefined) break;
    total += 2 * weight;
    for (const [i, sum] of sums.entries()) {
      sum.x += weight * ((before[i]?.x ?? 0) + (after[i]?.x ?? 0));
      sum.y += weight * ((before[i]?.y ?? 0) + (after[i]?.y ?? 0));
    }
  }
  return { presence, landmarks: sums.map(({ x, y }) => ({ x: x / total, y: y / total })) };
}

function landmarksOf(
  frame: SeenFrame | undefined,
  presence: Presence,
): readonly Point[] | undefined {
  return frame?.sights.find((sight) => sight.presence === presence)?.landmarks;
}
