// Which face of a picture is meant: by where face detection saw it, when that was in this very picture, else by who
// it is.
import type { Region } from '../../contract/api/region.ts';
import type { Picture } from '../pictures/picture.ts';
import { describeFace, type Face } from './find.ts';

/** Euclidean distance of descriptors: further away it is somebody else (face-api's own threshold). */
const samePerson = 0.6;
/** In a clip one person is seen many times, nearly the same, and must not be taken for a companion. */
export const samePersonAgain = 0.5;
/** How much of both together two regions share that are the same face. */
const sameRegion = 0.3;

/** The face at a place, undefined when there is none. */
export function faceAt(place: Region, faces: readonly Face[]): Face | undefined {
  const [best] = faces
    .map((face) => ({ face, overlap: overlapOf(place, face.region) }))
    .toSorted((a, b) => b.overlap - a.overlap);
  return best === undefined || best.overlap < sameRegion ? undefined : best.face;
}

/** The face of a picture that is most like a descriptor, undefined when all are somebody else's. */
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

/** How unlike two descriptors are. */
export const descriptorDistance = (one: Float32Array, other: Float32Array): number =>
  Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)));

/** What two regions share of all that they cover: 0 to 1. */
function overlapOf(a: Region, b: Region): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  const both = Math.max(0, width) * Math.max(0, height);
  return both / (a.width * a.height + b.width * b.height - both);
}
