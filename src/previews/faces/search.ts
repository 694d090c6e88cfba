// Where faces are looked for: in the picture or the clip of a face detection, in a picture that lends its face to a swap, and
// all over a clip that is to be changed.
import { err, ok, type Result } from '../../base/result.ts';
import type { Region } from '../../contract/api/asset.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import type { FaceAnswer, FaceQuestion, FoundFace, RenderInput } from '../base/request.ts';
import { openClip } from '../clips/open.ts';
import { sizeWithin } from '../clips/output.ts';
import { framesOf, type SourceClip } from '../clips/source-clip.ts';
import { type Picture, pixelsOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import { type Face, findFaces } from './find.ts';
import { describeFace, descriptorDistance, samePersonAgain } from './match.ts';

/** Reports the faces of a picture, the largest first. A picture that was not fetched or cannot be decoded has none. */
export async function findFacesInPicture(
  { input, confidence }: FaceQuestion,
  tell: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  const picture = await readPicture(input);
  if (!picture.ok) return picture;
  if (picture.value.isPlaceholder) return ok(undefined);
  const faces = await findFaces(picture.value, confidence);
  for (const [index, face] of faces.entries())
    await tell(await foundFace(picture.value, face, `0-${index}.png`));
  return ok(undefined);
}

/** Frames per second of a clip in which faces are looked for. */
const looksPerSecond = 2;
/** What face detection looks at: so many frames at most, of so many seconds. */
const maxLooks = 8;
const searchedSeconds = 20;
/** Pixels of the shorter side of a searched frame. */
const maxSearchedSide = 720;

/** Reports each person of a clip once, on the first frame where the person is found. A clip that was not fetched has no faces. */
export async function findFacesInClip(
  { input, confidence }: FaceQuestion,
  tell: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  const opened = await openClip(input);
  if (!opened.ok) return opened;
  const clip = opened.value;
  if (clip.file === undefined) return ok(undefined);
  const { width, height, seconds } = clip.facts;
  const end = Math.min(seconds, searchedSeconds);
  const looks = Math.max(1, Math.min(maxLooks, Math.ceil(end * looksPerSecond)));
  const size = sizeWithin(width, height, maxSearchedSide);
  const people: Float32Array[] = [];
  let look = 0;
  try {
    for await (const picture of clip.frames({ start: 0, end, ...size, fps: looks / end })) {
      let told = 0;
      // Two faces on one frame are two people.
      const before = people.slice();
      for (const face of await findFaces(picture, confidence)) {
        const descriptor = await describeFace(picture, face);
        const known = before.some(
          (other) => descriptorDistance(other, descriptor) < samePersonAgain,
        );
        people.push(descriptor);
        if (known) continue;
        await tell(await foundFace(picture, face, `${look}-${told}.png`));
        told += 1;
      }
      look += 1;
    }
  } finally {
    await clip.close();
  }
  return ok(undefined);
}

/** A face of a picture as it is reported. */
async function foundFace(picture: Picture, { region }: Face, name: string): Promise<FoundFace> {
  const portrait = pixelsOf(portraitOf(region), picture);
  const crop = await sharpOf(picture).extract(portrait).png({ compressionLevel: 2 }).toBuffer();
  return { name, crop, region };
}

/** The face with its hair, inside the picture: the face can be found again in it. */
export const portraitOf = (face: Region): Region =>
  enlarged(face, { beside: 0.45, above: 0.35, below: 0.3 });

/** A face with what is around it, in widths and heights of the face, inside the picture. */
export function enlarged(
  { x, y, width, height }: Region,
  { beside, above, below }: Readonly<Record<'beside' | 'above' | 'below', number>>,
): Region {
  const left = Math.max(0, x - width * beside);
  const top = Math.max(0, y - height * above);
  return {
    x: left,
    y: top,
    width: Math.min(1, x + width * (1 + beside)) - left,
    height: Math.min(1, y + height * (1 + below)) - top,
  };
}

/** The default of `confidence_score` (facts.md, Face detection). */
export const sureFace = 0.5;
/** Less confidence is enough in a picture that was given for its face. */
export const believedFace = 0.2;

export interface SourceFace {
  readonly picture: Picture;
  /** Undefined for a picture that was not fetched or cannot be decoded. */
  readonly face: Face | undefined;
}

/** The largest face of an input's picture; a picture without faces is the project's error. */
export async function sourceFaceIn(input: RenderInput): Promise<Result<SourceFace, ProjectError>> {
  const read = await readPicture(input);
  if (!read.ok) return read;
  const picture = read.value;
  if (picture.isPlaceholder) return ok({ picture, face: undefined });
  const faces = await findFaces(picture, believedFace);
  const surest = faces.toSorted((a, b) => b.score - a.score)[0];
  const face = faces.find(({ score }) => score >= sureFace) ?? surest;
  return face === undefined ? noFaceIn(input) : ok({ picture, face });
}

export function noFaceIn({ field, reference }: RenderInput): Result<never, ProjectError> {
  return err({
    code: 'no_source_face',
    message: `No face was found in the picture of ${field} (${reference})`,
  });
}

/**
 * Looks for the faces of a clip; each frame has those of the nearest look. Gives what `choose` makes of the faces of each
 * look, by the time; undefined for the placeholder of a clip that was not fetched.
 */
export async function facesOver<T>(
  source: SourceClip,
  choose: (picture: Picture, faces: readonly Face[]) => Promise<T>,
): Promise<(seconds: number) => T | undefined> {
  const looks: T[] = [];
  if (source.clip.file !== undefined)
    for await (const picture of framesOf(source, looksPerSecond))
      looks.push(await choose(picture, await findFaces(picture, sureFace)));
  return (seconds) => looks[Math.min(looks.length - 1, Math.round(seconds * looksPerSecond))];
}
