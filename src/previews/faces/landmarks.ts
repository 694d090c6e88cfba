// Where the parts of a face are: 68 points, in the order that all face tools use: 0-16 the jaw from one ear to the
// other, 17-26 the brows, 27-35 the nose, 36-47 the eyes, 48-67 the lips.
import type { Picture } from '../pictures/picture.ts';
import { type FaceNets, landmarkSide } from './nets.ts';
import { patchOf, type Square } from './patch.ts';
import { boundsOf, middleOf, type Point, turned } from './point.ts';

/** Each landmark's counterpart on the other half of the face. */
const counterparts: readonly number[] = [
  ...[16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
  ...[26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 27, 28, 29, 30, 35, 34, 33, 32, 31],
  ...[45, 44, 43, 42, 47, 46, 39, 38, 37, 36, 41, 40],
  ...[54, 53, 52, 51, 50, 49, 48, 59, 58, 57, 56, 55, 64, 63, 62, 61, 60, 67, 66, 65],
];

/** How much wider than the landmarks the square is in which they are searched: found by trial on sample photos. */
const room = 1.2;

/** The face upright, from the brows to the chin, in the middle of a square. */
export function uprightSquare(landmarks: readonly Point[], wider = room): Square {
  const right = middleOf(landmarks.slice(36, 42));
  const left = middleOf(landmarks.slice(42, 48));
  const angle = Math.atan2(left.y - right.y, left.x - right.x);
  const straight = landmarks.map((point) => turned(point, -angle, 1));
  const { left: west, top: north, right: east, bottom: south } = boundsOf(straight);
  const centre = turned({ x: (west + east) / 2, y: (north + south) / 2 }, angle, 1);
  return { centre, side: Math.max(east - west, south - north) * wider, angle };
}

/**
 * Reads the face as it was found, then upright and centred, both straight and mirrored: the net is most accurate on
 * such faces.
 */
export async function landmarksIn(
  picture: Picture,
  square: Square,
  nets: FaceNets,
): Promise<readonly Point[]> {
  const rough = await nets.landmarks(patchOf(picture, square, landmarkSide));
  const upright = uprightSquare(rough.map((point) => outOf(square, point)));
  return readLandmarks(picture, upright, nets);
}

/** One reading, straight and mirrored: enough for a face whose position is known. */
export async function readLandmarks(
  picture: Picture,
  upright: Square,
  nets: FaceNets,
): Promise<readonly Point[]> {
  const patch = patchOf(picture, upright, landmarkSide);
  const straight = await nets.landmarks(patch);
  const mirrored = await nets.landmarks({ ...patch, pixels: mirror(patch.pixels) });
  const back = mirroredIn(landmarkSide, mirrored);
  return straight.map((point, index) => outOf(upright, middleOf([point, back[index] ?? point])));
}

/** A point of a square's patch as a point of its picture. */
function outOf({ centre, side, angle }: Square, { x, y }: Point): Point {
  const half = landmarkSide / 2;
  const from = turned({ x: x - half, y: y - half }, angle, side / landmarkSide);
  return { x: centre.x + from.x, y: centre.y + from.y };
}

function mirror(pixels: Uint8Array): Uint8Array {
  const mirrored = new Uint8Array(pixels.length);
  for (let y = 0; y < landmarkSide; y++)
    for (let x = 0; x < landmarkSide; x++)
      for (let channel = 0; channel < 3; channel++)
        mirrored[(y * landmarkSide + x) * 3 + channel] =
          pixels[(y * landmarkSide + landmarkSide - 1 - x) * 3 + channel] ?? 0;
  return mirrored;
}

/** The landmarks of the mirror image of a face in a picture of this width. */
function mirroredIn(width: number, landmarks: readonly Point[]): readonly Point[] {
  return counterparts.map((counterpart) => {
    const { x, y } = landmarks[counterpart] ?? { x: 0, y: 0 };
    return { x: width - x, y };
  });
}
