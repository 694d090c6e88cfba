// Which face of a picture is meant: by its place, if face detection found it in this very picture, else by its
// descriptor.
import type { Region } from '../../contract/api/region.ts';
import type { Picture } from '../pictures/picture.ts';
import { describeFace, type Face } from './find.ts';

/** The largest Euclidean distance of two descriptors of one person (face-api's own threshold). */
const samePerson = 0.6;
/** The same in a clip, where the descriptors of one person are closer and companions must not be mixed up. */
export const samePersonAgain = 0.5;
/** The least intersection over union of two regions of one face. */
const sameRegion = 0.3;

/** The face at a place; undefined if there is none. */
export function faceAt(place: Region, faces: readonly Face[]): Face | undefined {
  const [best] = faces
    .map((face) => ({ face, overlap: overlapOf(place, face.region) }))
    .toSorted((a, b) => b.overlap - a.overlap);
  return best === undefined || best.overlap < sameRegion ? undefined : best.face;
}

/** The face of a picture that is closest to a descriptor; undefined if none is the same person. */
export async function faceLike(
  descriptor: Float32Array,
  picture: Picture,
  faces: readonly Face[],
): Promise<Face | undefined> {
  let nearest: Face | undefined;
  let least = samePerson;
  for (const face of faces) {
    const other = await describeFace(picture, face);
    const distance = descriptorDistance(descriptor, other);
    if (distance >= least) continue;
    least = distance;
    nearest = face;
  }
  return nearest;
}

/** The Euclidean distance of two descriptors. */
export const descriptorDistance = (one: Float32Array, other: Float32Array): number =>
  Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)));

/** The intersection over union of two regions: 0 to 1. */
function overlapOf(a: Region, b: Region): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  const both = Math.max(0, width) * Math.max(0, height);
  return both / (a.width * a.height + b.width * b.height - both);
}
