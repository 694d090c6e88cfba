// Face detection in a clip: a few frames are searched, and each person is reported once, on the first frame where the
// person is found.
import { ok } from '../../base/result.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from '../base/renderer.ts';
import { openClip } from '../clips/open.ts';
import { sizeWithin } from '../clips/size.ts';
import { findFaces } from './find.ts';
import { describeFace, descriptorDistance, samePersonAgain } from './match.ts';
import { foundFace } from './search-picture.ts';

/** Searched frames per second, and in all; the searched part of the clip, in seconds. */
const searchesPerSecond = 2;
const mostSearches = 8;
const searchedSeconds = 20;
/** Pixels of the shorter side of a searched frame. */
const mostSide = 720;

/** A clip that was not fetched has no faces. */
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
  const looks = Math.max(1, Math.min(mostSearches, Math.ceil(end * searchesPerSecond)));
  const size = sizeWithin(width, height, mostSide);
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
