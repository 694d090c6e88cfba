// Face detection in a clip: it is looked at a few times, and each person is told once, as soon as it is known that
// nobody like that was told before.
import { ok } from '../../contract/base/result.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from '../base/renderer.ts';
import { openClip } from '../clips/open.ts';
import { sizeWithin } from '../clips/size.ts';
import { describeFace, findFaces } from './find.ts';
import { descriptorDistance, samePersonAgain } from './match.ts';
import { foundFace } from './search-picture.ts';

/** Looks a second, and in all; how far into the clip they reach, in seconds. */
const looksPerSecond = 2;
const mostLooks = 8;
const searchedSeconds = 20;
/** Pixels of the shorter side of what is looked at. */
const mostSide = 720;

/** A clip that is elsewhere has no faces. */
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
  const looks = Math.max(1, Math.min(mostLooks, Math.ceil(end * looksPerSecond)));
  const size = sizeWithin(width, height, mostSide);
  const people: Float32Array[] = [];
  let look = 0;
  try {
    for await (const picture of clip.frames({ start: 0, end, ...size, fps: looks / end })) {
      let told = 0;
      // Two faces of one look are two people.
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
