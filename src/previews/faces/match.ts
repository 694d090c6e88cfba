// Which face of a picture is meant: by its place, if face detection found it in this very picture, else by its
// descriptor.
import type { Region } from '../../contract/api/asset.ts';
import type { Rectangle } from '../pictures/canvas.ts';
import { type Picture, pixelsOf, type Size } from '../pictures/picture.ts';
import type { Face } from './find.ts';
import { descriptorSide, faceNets, landmarkSide, patchOf } from './nets.ts';

/** The largest Euclidean distance of two descriptors of one person (face-api's own threshold). */
const samePerson = 0.6;
/** The same in a clip, where the descriptors of one person are closer and companions must not be mixed up. */
export const samePersonAgain = 0.5;
/** The least intersection over union of two regions of one face. */
const sameRegion = 0.3;
/** How much wider than the landmarks a face is shown to the net: found by trial on sample photos. */
const room = 1.2;

/** 128 numbers. The Euclidean distance of two is mostly below 0.5 for one person. */
export async function describeFace(picture: Picture, { region }: Face): Promise<Float32Array> {
  const nets = await faceNets();
  const { left, top, width, height } = pixelsOf(region, picture);
  const found = squareIn(picture, left + width / 2, top + height / 2, Math.max(width, height));
  // A descriptor is only comparable if the face fills the patch: the landmarks say where exactly it is.
  const { pixels, scale } = await patchOf(picture, found, landmarkSide);
  const landmarks = await nets.landmarks(pixels);
  const xs = landmarks.map(({ x }) => found.left + x * scale);
  const ys = landmarks.map(({ y }) => found.top + y * scale);
  const [west, east] = [Math.min(...xs), Math.max(...xs)];
  const [north, south] = [Math.min(...ys), Math.max(...ys)];
  const side = Math.max(east - west, south - north) * room;
  const filled = squareIn(picture, (west + east) / 2, (north + south) / 2, side);
  return nets.describe((await patchOf(picture, filled, descriptorSide)).pixels);
}

/** The part of a square that is inside the picture. */
function squareIn({ width, height }: Size, x: number, y: number, side: number): Rectangle {
  const left = Math.max(0, Math.min(width - 1, Math.round(x - side / 2)));
  const top = Math.max(0, Math.min(height - 1, Math.round(y - side / 2)));
  return {
    left,
    top,
    width: Math.max(1, Math.min(width, Math.round(x + side / 2)) - left),
    height: Math.max(1, Math.min(height, Math.round(y + side / 2)) - top),
  };
}

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
