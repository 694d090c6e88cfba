// Where the subject of a clip is, at each moment: found by its own motion where it moves, by its looks where it does not.

import { type Box, mixed } from '../matte/box.ts';
import { differencesOf, restlessOf, type Thing, thingsIn } from '../matte/regions.ts';
import { type Backdrop, backdropOf } from './backdrop.ts';
import { type Offset, placesOf } from './camera.ts';
import { followed, lookOf } from './follow.ts';
import type { SmallFrames } from './small-frames.ts';

/** A place in the clip where somebody said that the subject is: in small pixels, at a frame. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly index: number;
}

export interface Subject {
  /** One for each small frame. */
  readonly boxes: readonly Box[];
  /** What moves against the background in each small frame; empty where the background is not known. */
  readonly differences: readonly Uint8Array[];
  readonly backdrop: Backdrop | undefined;
}

/** How far a thing's middle goes from one frame to the next at most, in parts of the frame's longer side. */
const stride = 0.16;
/** Somebody who is pointed at reaches so far above and below the point, in parts of the frame's height. */
const above = 0.2;
const below = 0.6;
/** How wide they are in parts of their height. */
const slim = 0.42;
/** Frames, in parts of all, in which something has to walk for its walk to be what tells the subject. */
const enough = 0.3;
/** Who walks differs as a whole from what is behind; who stands and talks only at the edges. */
const solid = 0.3;
/** A camera that goes no further stands still, in parts of the frame's longer side. */
const still = 0.03;

export function subjectOf(small: SmallFrames, points: readonly Point[]): Subject {
  const { frames, width, height } = small;
  const places = placesOf(small);
  const backdrop = backdropOf(small, places);
  const differences =
    backdrop === undefined
      ? []
      : frames.map((frame, index) => differencesOf(frame, backdrop.behind(index)));
  const things = differences.map((map) =>
    thingsIn(map, width, height).filter(({ fill }) => fill >= solid),
  );
  const walks = things.filter(({ length }) => length > 0).length >= frames.length * enough;
  // Where nobody walks, what differs is noise, and the backdrop shows the subject too.
  const walking = walks ? things : things.map(() => []);
  const inPlace = walks ? [] : thingsInPlace(small, places, differences);
  const anchors =
    points.length > 0
      ? points.map((point) => ({
          index: point.index,
          box: boxAt(point, small, walking[point.index] ?? [], inPlace),
        }))
      : [anchorOf(small, walking, inPlace)];
  const paths = anchors.map((anchor) => ({
    index: anchor.index,
    boxes: pathFrom(anchor, small, places, walking),
  }));
  const boxes = blended(paths, frames.length);
  return walks ? { boxes, differences, backdrop } : { boxes, differences, backdrop: undefined };
}

interface Anchor {
  readonly index: number;
  readonly box: Box;
}

/** Somebody who stays where they are, before a camera that does so too, is where something moves now and then. */
function thingsInPlace(
  { width, height }: SmallFrames,
  places: readonly Offset[],
  differences: readonly Uint8Array[],
): readonly Thing[] {
  const far = Math.max(...places.map(({ x, y }) => Math.max(Math.abs(x), Math.abs(y))));
  if (far > still * Math.max(width, height)) return [];
  return thingsIn(restlessOf(differences), width, height).filter(
    ({ box }) => box.height > height * 0.15,
  );
}

/** Who is seen best walking; else who is restless; else somebody of the usual size in the middle. */
function anchorOf(
  { frames, width, height }: SmallFrames,
  walking: readonly (readonly Thing[])[],
  [restless]: readonly Thing[],
): Anchor {
  const ranked = walking.flatMap((inFrame, index) =>
    inFrame.map(({ box, weight }) => ({
      index,
      box,
      worth: weight * Math.exp(-(((box.x - width / 2) / width) ** 2) * 3),
    })),
  );
  const [first] = ranked;
  if (first !== undefined) return ranked.reduce((a, b) => (b.worth > a.worth ? b : a), first);
  const usual = { x: width / 2, y: height * 0.6, width: width * 0.34, height: height * 0.8 };
  return { index: frames.length >> 1, box: restless?.box ?? usual };
}

/** The thing that is pointed at; where none is there, somebody of the usual size around the point. */
function boxAt(
  { x, y }: Point,
  { height }: SmallFrames,
  walking: readonly Thing[],
  inPlace: readonly Thing[],
): Box {
  const hit = [...walking, ...inPlace].find(
    ({ box }) =>
      Math.abs(x - box.x) <= box.width / 2 + 2 && Math.abs(y - box.y) <= box.height / 2 + 2,
  );
  if (hit !== undefined) return hit.box;
  const [top, bottom] = [y - height * above, Math.min(height, y + height * below)];
  const tall = bottom - top;
  return { x, y: top + tall / 2, width: tall * slim, height: tall };
}

/** Goes from where the subject is known to the clip's beginning and to its end. */
function pathFrom(
  { index, box }: Anchor,
  small: SmallFrames,
  places: readonly Offset[],
  things: readonly (readonly Thing[])[],
): readonly Box[] {
  const boxes: Box[] = Array.from(small.frames, () => box);
  for (const step of [-1, 1]) {
    let here = box;
    let look = lookOf(small.frames[index] ?? { pixels: Buffer.alloc(0), width: 1, height: 1 }, box);
    let speed: Offset = { x: 0, y: 0 };
    for (let at = index + step; at >= 0 && at < small.frames.length; at += step) {
      const frame = small.frames[at];
      if (frame === undefined) break;
      const expected = { ...here, x: here.x + speed.x, y: here.y + speed.y };
      const thing = nearest(things[at] ?? [], expected, Math.max(small.width, small.height));
      // Where nothing moves by itself, the subject goes with the background, or by itself a little.
      const drift = driftOf(places, at - step, at);
      const next = thing === undefined ? followed(frame, here, look, drift) : undefined;
      const found = thing?.box ?? next?.box ?? here;
      look = next?.look ?? lookOf(frame, found);
      speed = {
        x: speed.x * 0.6 + (found.x - here.x) * 0.4,
        y: speed.y * 0.6 + (found.y - here.y) * 0.4,
      };
      here = found;
      boxes[at] = found;
    }
  }
  return boxes;
}

/** How far the background goes between two frames. */
function driftOf(places: readonly Offset[], from: number, to: number): Offset {
  const [a, b] = [places[from], places[to]];
  return a === undefined || b === undefined ? { x: 0, y: 0 } : { x: a.x - b.x, y: a.y - b.y };
}

/** The weightiest thing that the subject can have become since the last frame. */
function nearest(things: readonly Thing[], expected: Box, longer: number): Thing | undefined {
  return things.find(
    ({ box }) =>
      Math.hypot(box.x - expected.x, box.y - expected.y) < stride * longer &&
      box.height > expected.height * 0.4 &&
      box.height < expected.height * 2.5,
  );
}

/** Between two places where the subject is known, the nearer counts the more. */
function blended(
  paths: readonly { readonly index: number; readonly boxes: readonly Box[] }[],
  count: number,
): readonly Box[] {
  const sorted = [...paths].sort((a, b) => a.index - b.index);
  return Array.from({ length: count }, (_, at) => {
    const after = sorted.find(({ index }) => index >= at);
    const before = sorted.findLast(({ index }) => index <= at);
    const [a, b] = [(before ?? after)?.boxes[at], (after ?? before)?.boxes[at]];
    if (a === undefined || b === undefined) throw new Error('bug: a path without a place');
    const span = (after?.index ?? 0) - (before?.index ?? 0);
    const part =
      before === undefined || after === undefined || span === 0 ? 0 : (at - before.index) / span;
    return mixed(a, b, part);
  });
}
