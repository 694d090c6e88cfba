// The faces of a clip: they are looked for a few times a second, and each frame has those of the nearest look.
import { framesOf, type SourceClip } from '../clips/source-clip.ts';
import type { Picture } from '../pictures/picture.ts';
import { type Face, findFaces } from './find.ts';
import { sureFace } from './source-face.ts';

const looksPerSecond = 2;

/** What `choose` makes of the faces of each look, by the time; undefined for the placeholder of a clip that was not fetched. */
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
