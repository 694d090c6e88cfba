// The faces of a clip, frame by frame. All faces are looked for a few times a second only; between two such looks each
// is followed from where it was, forwards from the earlier look, and backwards from the later one if it is new there, so
// that a face is known from the frame on which it can first be seen.
import type { Picture } from '../pictures/picture.ts';
import { type Appearance, appearanceOf, similarity } from './appearance.ts';
import type { FaceTexture } from './face-texture.ts';
import { type Face, findFaces } from './find.ts';
import { looked, uprightSquare } from './landmarks.ts';
import { faceNets } from './nets.ts';
import { distance, middleOf, type Point } from './point.ts';
import { sureFace } from './source-face.ts';

/** One face for as long as it is in sight without a break. */
export interface Presence {
  /** What goes over it; undefined: nothing. */
  mask: FaceTexture | undefined;
}

/** Which face goes over a face of the clip; undefined: it stays as it is, or nobody can tell yet. */
export type Choice = (picture: Picture, face: Face) => Promise<FaceTexture | undefined>;

export interface Sight {
  readonly presence: Presence;
  readonly landmarks: readonly Point[];
}

export interface SeenFrame {
  readonly picture: Picture;
  readonly sights: readonly Sight[];
}

/** A face that is followed: where it is on the last frame, and how it looks there. */
interface Trail extends Sight {
  readonly appearance: Appearance;
}

interface Draft {
  readonly picture: Picture;
  readonly sights: Sight[];
}

/** From frame to frame a face looks at least this much the same; a hand or a cut is further off. */
const sameAppearance = 0.6;

/** Looks for all faces on every `every`th frame. Holds no more frames than that. */
export async function* followed(
  frames: AsyncIterable<Picture>,
  every: number,
  choose: Choice,
): AsyncGenerator<SeenFrame> {
  let trails: readonly Trail[] = [];
  let held: Draft[] = [];
  for await (const picture of frames) {
    const draft: Draft = { picture, sights: [] };
    trails = await movedOn(trails, picture);
    held.push(draft);
    if (held.length > 1 && held.length <= every) {
      draft.sights.push(...trails);
      continue;
    }
    const news: Trail[] = [];
    for (const face of await findFaces(picture, sureFace)) {
      const trail = trails.find(({ landmarks }) => isOne(landmarks, face.landmarks));
      const { presence } = trail ?? { presence: { mask: undefined } };
      presence.mask ??= await choose(picture, face);
      if (trail === undefined) news.push(trailOf(picture, presence, face.landmarks));
    }
    await traceBack(news, held.slice(0, -1));
    // Who is followed and no longer found is turned away, perhaps: its appearance decides, not the detector.
    trails = [...trails, ...news];
    draft.sights.push(...trails);
    yield* held.slice(0, -1);
    held = [draft];
  }
  yield* held;
}

function trailOf(picture: Picture, presence: Presence, landmarks: readonly Point[]): Trail {
  return { presence, landmarks, appearance: appearanceOf(picture, landmarks) };
}

/** The trails on the next picture, without those that have ended. */
async function movedOn(trails: readonly Trail[], picture: Picture): Promise<readonly Trail[]> {
  const nets = await faceNets();
  const on: Trail[] = [];
  for (const { presence, landmarks, appearance } of trails) {
    const seen = await looked(picture, uprightSquare(landmarks), nets);
    const next = trailOf(picture, presence, seen);
    const twice = on.some((other) => isOne(other.landmarks, seen));
    if (
      !twice &&
      isLike(landmarks, seen) &&
      similarity(appearance, next.appearance) > sameAppearance
    )
      on.push(next);
  }
  return on;
}

/** Where new faces were on the frames before, the latest first. */
async function traceBack(news: readonly Trail[], before: readonly Draft[]): Promise<void> {
  let trails = news;
  for (const { picture, sights } of before.toReversed()) {
    const moved = await movedOn(trails, picture);
    trails = moved.filter(
      ({ landmarks }) => !sights.some((sight) => isOne(sight.landmarks, landmarks)),
    );
    if (trails.length === 0) return;
    sights.push(...trails);
  }
}

const widthOf = (points: readonly Point[]): number => {
  const [right, left] = [points[0], points[16]];
  return right === undefined || left === undefined ? 0 : distance(right, left);
};

const shiftOf = (one: readonly Point[], other: readonly Point[]): number =>
  distance(middleOf(one), middleOf(other));

/** Two readings of the same face on the same picture. */
const isOne = (one: readonly Point[], other: readonly Point[]): boolean =>
  shiftOf(one, other) < 0.4 * Math.max(widthOf(one), widthOf(other));

/** Heads do not grow or jump between two frames. */
function isLike(before: readonly Point[], after: readonly Point[]): boolean {
  const [was, is] = [widthOf(before), widthOf(after)];
  return is > was * 0.75 && is < was * 1.33 && shiftOf(before, after) < was * 0.6;
}
