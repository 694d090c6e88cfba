// The faces of a clip, frame by frame. All faces are looked for a few times a second only. Between two such searches
// each face is tracked from frame to frame: forwards from the earlier search, and backwards from the later one if it is
// new there, so that a face is known from the first frame on which it can be seen.
import type { Picture } from '../pictures/picture.ts';
import type { FaceTexture } from './face-texture.ts';
import { type Face, findFaces } from './find.ts';
import { readLandmarks, uprightSquare } from './landmarks.ts';
import { faceNets } from './nets.ts';
import { patchOf } from './patch.ts';
import { distance, middleOf, type Point } from './point.ts';
import { sureFace } from './source-face.ts';

/** One face for as long as it is visible without a break. */
export interface Track {
  /** What is laid over it; undefined: nothing. */
  texture: FaceTexture | undefined;
}

/** Which face is laid over a face of the clip; undefined: none, or nobody can tell yet. */
export type TextureChoice = (picture: Picture, face: Face) => Promise<FaceTexture | undefined>;

export interface TrackedFace {
  readonly track: Track;
  readonly landmarks: readonly Point[];
}

export interface TrackedFrame {
  readonly picture: Picture;
  readonly faces: readonly TrackedFace[];
}

/** A face on the last frame, with what is needed to find it on the next. */
interface CurrentFace extends TrackedFace {
  readonly appearance: Appearance;
}

/** A frame to which faces are still added. */
interface PendingFrame {
  readonly picture: Picture;
  readonly faces: TrackedFace[];
}

/** From frame to frame a face is at least this similar to itself; a hand or a cut is less similar. */
const sameAppearance = 0.6;

/** Looks for all faces on every `every`th frame. Holds no more frames than that. */
export async function* trackFaces(
  frames: AsyncIterable<Picture>,
  every: number,
  choose: TextureChoice,
): AsyncGenerator<TrackedFrame> {
  let current: readonly CurrentFace[] = [];
  let pending: PendingFrame[] = [];
  for await (const picture of frames) {
    const frame: PendingFrame = { picture, faces: [] };
    current = await facesOn(picture, current);
    pending.push(frame);
    if (pending.length > 1 && pending.length <= every) {
      frame.faces.push(...current);
      continue;
    }
    const started: CurrentFace[] = [];
    for (const face of await findFaces(picture, sureFace)) {
      const known = current.find(({ landmarks }) => isSame(landmarks, face.landmarks));
      const { track } = known ?? { track: { texture: undefined } };
      track.texture ??= await choose(picture, face);
      if (known === undefined) started.push(currentFace(picture, track, face.landmarks));
    }
    await trackBack(started, pending.slice(0, -1));
    // A tracked face that the search no longer finds may be turned away: its appearance decides, not the detector.
    current = [...current, ...started];
    frame.faces.push(...current);
    yield* pending.slice(0, -1);
    pending = [frame];
  }
  yield* pending;
}

function currentFace(picture: Picture, track: Track, landmarks: readonly Point[]): CurrentFace {
  return { track, landmarks, appearance: appearanceOf(picture, landmarks) };
}

/** The faces on the next picture, without those whose track has ended. */
async function facesOn(
  picture: Picture,
  before: readonly CurrentFace[],
): Promise<readonly CurrentFace[]> {
  const nets = await faceNets();
  const faces: CurrentFace[] = [];
  for (const { track, landmarks, appearance } of before) {
    const seen = await readLandmarks(picture, uprightSquare(landmarks), nets);
    const next = currentFace(picture, track, seen);
    const isTaken = faces.some((other) => isSame(other.landmarks, seen));
    const isSimilar = similarity(appearance, next.appearance) > sameAppearance;
    if (!isTaken && isPlausible(landmarks, seen) && isSimilar) faces.push(next);
  }
  return faces;
}

/** Adds new faces to the frames before, the latest frame first. */
async function trackBack(
  started: readonly CurrentFace[],
  before: readonly PendingFrame[],
): Promise<void> {
  let current = started;
  for (const { picture, faces } of before.toReversed()) {
    const found = await facesOn(picture, current);
    current = found.filter(
      ({ landmarks }) => !faces.some((other) => isSame(other.landmarks, landmarks)),
    );
    if (current.length === 0) return;
    faces.push(...current);
  }
}

const widthOf = (points: readonly Point[]): number => {
  const [right, left] = [points[0], points[16]];
  return right === undefined || left === undefined ? 0 : distance(right, left);
};

const shiftOf = (one: readonly Point[], other: readonly Point[]): number =>
  distance(middleOf(one), middleOf(other));

/** Whether two readings of one picture are the same face. */
const isSame = (one: readonly Point[], other: readonly Point[]): boolean =>
  shiftOf(one, other) < 0.4 * Math.max(widthOf(one), widthOf(other));

/** Heads do not grow or jump between two frames. */
function isPlausible(before: readonly Point[], after: readonly Point[]): boolean {
  const [was, is] = [widthOf(before), widthOf(after)];
  return is > was * 0.75 && is < was * 1.33 && shiftOf(before, after) < was * 0.6;
}

// Decides whether a tracked face is still visible. The landmark network finds landmarks even where there is no face, so
// the pixels between the landmarks are compared with those of the previous frame.

/** The brightness of an upright face, on a square of `side` pixels. */
type Appearance = Float32Array;
const side = 20;

/** Normalized to mean 0 and length 1, so that a change of light makes no difference. */
function appearanceOf(picture: Picture, landmarks: readonly Point[]): Appearance {
  const { pixels } = patchOf(picture, uprightSquare(landmarks, 1), side);
  const appearance = new Float32Array(side * side);
  let sum = 0;
  for (let i = 0; i < appearance.length; i++) {
    const light = (pixels[i * 3] ?? 0) + 2 * (pixels[i * 3 + 1] ?? 0) + (pixels[i * 3 + 2] ?? 0);
    appearance[i] = light;
    sum += light;
  }
  let length = 1e-6;
  for (let i = 0; i < appearance.length; i++) {
    const off = (appearance[i] ?? 0) - sum / appearance.length;
    appearance[i] = off;
    length += off * off;
  }
  return appearance.map((off) => off / Math.sqrt(length));
}

/** The correlation: 1 for the same, about 0 for something else. */
const similarity = (one: Appearance, other: Appearance): number =>
  one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);
