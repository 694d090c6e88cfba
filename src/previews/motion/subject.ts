// Where the subject of a clip is at each moment: the largest figure that moves against the background, or the figure
// that a point selects. Where nothing moves by itself, the subject moves with the background.
import type { Box } from '../matte/box.ts';
import type { Picture } from '../pictures/picture.ts';
import { type Blob, blobsIn, differencesOf } from './blobs.ts';
import { cameraPositions, type Offset } from './camera-positions.ts';
import type { SmallFrames } from './small-frames.ts';

/** A place that the request selects: in small pixels, on a frame. */
export interface SelectedPoint {
  readonly x: number;
  readonly y: number;
  readonly index: number;
}

export interface Subject {
  /** One for each small frame. */
  readonly boxes: readonly Box[];
  /** What moves against the background in each small frame; empty where the background is unknown. */
  readonly differences: readonly Uint8Array[];
  readonly background: Background | undefined;
}

/** How far a subject's middle goes from one frame to the next at most, as a share of the frame's longer side. */
const longestStep = 0.16;
/** A selected figure reaches so far above and below the point, as shares of the frame's height. */
const above = 0.2;
const below = 0.6;
/** The width of a selected figure, as a share of its height. */
const slimness = 0.42;
/** Something must move on this share of the frames, so that its movement tells where the subject is. */
const movingShare = 0.3;
/** How much of its box a moving figure fills, at least. */
const solid = 0.3;

export function subjectOf(small: SmallFrames, points: readonly SelectedPoint[]): Subject {
  const { frames, width, height } = small;
  const positions = cameraPositions(small);
  const background = backgroundOf(small, positions);
  const differences =
    background === undefined
      ? []
      : frames.map((frame, index) => differencesOf(frame, background(index)));
  const moving = differences.map((map) =>
    blobsIn(map, width, height).filter(({ fill }) => fill >= solid),
  );
  const isMoving = moving.filter(({ length }) => length > 0).length >= frames.length * movingShare;
  // Where nobody moves, differences are noise, and the subject is part of the background.
  const blobs = isMoving ? moving : [];
  const known =
    points.length > 0
      ? points.map(({ index, ...point }) => ({
          index,
          box: boxAt(point, height, blobs[index] ?? []),
        }))
      : [mostVisible(small, blobs)];
  const tracks = known.map((place) => ({
    index: place.index,
    boxes: trackFrom(place, small, positions, blobs),
  }));
  const boxes = frames.map((_, at) => {
    const [nearest] = tracks.toSorted((a, b) => Math.abs(a.index - at) - Math.abs(b.index - at));
    const box = nearest?.boxes[at];
    if (box === undefined) throw new Error('bug: a frame without a subject');
    return box;
  });
  return { boxes, differences, background: isMoving ? background : undefined };
}

interface KnownPlace {
  readonly index: number;
  readonly box: Box;
}

/** The largest moving figure near the middle; else a person of usual size in the middle. */
function mostVisible(
  { frames, width, height }: SmallFrames,
  blobs: readonly (readonly Blob[])[],
): KnownPlace {
  const ranked = blobs.flatMap((inFrame, index) =>
    inFrame.map(({ box, weight }) => ({
      index,
      box,
      rank: weight * Math.exp(-(((box.x - width / 2) / width) ** 2) * 3),
    })),
  );
  const [best] = ranked.toSorted((a, b) => b.rank - a.rank);
  const usual = { x: width / 2, y: height * 0.6, width: width * 0.34, height: height * 0.8 };
  return best ?? { index: frames.length >> 1, box: usual };
}

/** The figure at a point; where none moves, a person of usual size around the point. */
function boxAt({ x, y }: Offset, height: number, blobs: readonly Blob[]): Box {
  const hit = blobs.find(
    ({ box }) =>
      Math.abs(x - box.x) <= box.width / 2 + 2 && Math.abs(y - box.y) <= box.height / 2 + 2,
  );
  if (hit !== undefined) return hit.box;
  const [top, bottom] = [y - height * above, Math.min(height, y + height * below)];
  const tall = bottom - top;
  return { x, y: top + tall / 2, width: tall * slimness, height: tall };
}

/** Tracks the subject from a known place to the clip's beginning and to its end. */
function trackFrom(
  { index, box }: KnownPlace,
  small: SmallFrames,
  positions: readonly Offset[],
  blobs: readonly (readonly Blob[])[],
): readonly Box[] {
  const longer = Math.max(small.width, small.height);
  const boxes: Box[] = Array.from(small.frames, () => box);
  for (const step of [-1, 1]) {
    let here = box;
    for (let at = index + step; at >= 0 && at < small.frames.length; at += step) {
      const [before, now] = [positions[at - step], positions[at]];
      const drift = { x: (before?.x ?? 0) - (now?.x ?? 0), y: (before?.y ?? 0) - (now?.y ?? 0) };
      const found = nearest(blobs[at] ?? [], here, longer)?.box ?? {
        ...here,
        x: here.x + drift.x,
        y: here.y + drift.y,
      };
      here = found;
      boxes[at] = found;
    }
  }
  return boxes;
}

/** The figure with the most weight that the subject can be, given where it was. */
function nearest(blobs: readonly Blob[], last: Box, longer: number): Blob | undefined {
  return blobs.find(
    ({ box }) =>
      Math.hypot(box.x - last.x, box.y - last.y) < longestStep * longer &&
      box.height > last.height * 0.4 &&
      box.height < last.height * 2.5,
  );
}

// The background behind a moving subject: the median colour of each place.

/** The background of one frame, by its index: RGBA, transparent where it was never visible. */
type Background = (index: number) => Picture;

/** The median is taken over at most so many frames. */
const mostSamples = 25;
/** A plane of more frame sizes has too many places that are visible too seldom. */
const largestPlane = 3;

/** Undefined: the camera moved too far, or there are too few frames to tell. */
function backgroundOf(
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
