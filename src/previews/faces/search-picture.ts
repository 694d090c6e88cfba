// Face detection in a picture: each face cut out as a portrait that may be named as the original of a swap.

import { ok } from '../../base/result.ts';
import type { Region } from '../../contract/api/region.ts';
import type { FaceAnswer, FaceQuestion, FoundFace } from '../base/renderer.ts';
import { type Picture, pixelsOf, sharpOf } from '../pictures/picture.ts';
import { isPlaceholder, readPicture } from '../pictures/read-picture.ts';
import { type Face, findFaces } from './find.ts';

/** Reports the faces of a picture, the largest first. A picture that was not fetched or cannot be decoded has none. */
export async function findFacesInPicture(
  { input, confidence }: FaceQuestion,
  tell: (face: FoundFace) => Promise<void>,
): Promise<FaceAnswer> {
  const picture = await readPicture(input);
  if (!picture.ok) return picture;
  if (await isPlaceholder(input)) return ok(undefined);
  const faces = await findFaces(picture.value, confidence);
  for (const [index, face] of faces.entries())
    await tell(await foundFace(picture.value, face, `0-${index}.png`));
  return ok(undefined);
}

/** A face of a picture as it is reported. */
export async function foundFace(
  picture: Picture,
  { region }: Face,
  name: string,
): Promise<FoundFace> {
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
