// Finds the faces in a picture, including the small ones in a group photo. The search covers the whole picture first, and
// then enlarged parts where small faces are likely.
import type { Region } from '../../contract/api/region.ts';
import { type Picture, pixelsOf } from '../pictures/picture.ts';
import type { Detection } from './detection.ts';
import { landmarksIn, uprightSquare } from './landmarks.ts';
import { descriptorSide, type FaceNets, faceNets, finderSide } from './nets.ts';
import { patchOf, type Square } from './patch.ts';
import type { Point } from './point.ts';

export interface Face {
  /** From the forehead to the chin and from cheek to cheek, inside the picture. */
  readonly region: Region;
  /** The detector's confidence: 0 to 1. */
  readonly score: number;
  /** 68 points in pixels of the picture, in the order of `landmarks.ts`; some may lie outside it. */
  readonly landmarks: readonly Point[];
}

/**
 * The faces with at least this confidence, the largest first; of two faces of one size, the left one first. A search
 * takes 0.5 s of one core, whatever the picture's size, and each face 0.1 s; searching the parts takes up to 2 s more.
 */
export async function findFaces(picture: Picture, confidence: number): Promise<readonly Face[]> {
  const detections = await detectionsIn(picture, confidence, await faceNets());
  const faces: Face[] = [];
  for (const detection of detections)
    faces.push(await faceWithin(picture, regionOf(detection, picture), detection.score));
  return faces;
}

/** The face in a region that is known to show one. */
export async function faceWithin(picture: Picture, region: Region, score: number): Promise<Face> {
  const { left, top, width, height } = pixelsOf(region, picture);
  const centre = { x: left + width / 2, y: top + height / 2 };
  const square = { centre, side: Math.max(width, height), angle: 0 };
  return { region, score, landmarks: await landmarksIn(picture, square, await faceNets()) };
}

/** The descriptor of a face: 128 numbers. The Euclidean distance of two is mostly below 0.5 for one person. */
export async function describeFace(picture: Picture, { landmarks }: Face): Promise<Float32Array> {
  const nets = await faceNets();
  return nets.describe(patchOf(picture, uprightSquare(landmarks, 1.35), descriptorSide));
}

/** Height in pixels of the finder's input: the finder misses many smaller faces, and misplaces others. */
const smallFace = 32;
/** A small face with this little confidence is reason enough to search the parts. */
const hint = 0.15;
/** The side of a part, as a share of the whole: more than half, so that no face lies only on a seam. */
const partSize = 0.56;

async function detectionsIn(
  picture: Picture,
  confidence: number,
  nets: FaceNets,
): Promise<readonly Detection[]> {
  const whole = Math.max(picture.width, picture.height);
  const middle = { x: picture.width / 2, y: picture.height / 2 };
  const seen = await seenIn(picture, { centre: middle, side: whole, angle: 0 }, hint, nets);
  const large = seen.filter(({ height }) => height >= (smallFace * whole) / finderSide);
  const sure = (face: Detection) => face.score >= confidence;
  if (whole <= finderSide) return merged(seen.filter(sure));
  if (seen.length > 0 && large.length === seen.length) return merged(large.filter(sure));
  const closer: Detection[] = [];
  for (const part of partsOf(picture)) {
    const found = await seenIn(picture, part, confidence, nets);
    closer.push(...found.filter((face) => !isCut(face, part, picture)));
  }
  return merged([...large.filter(sure), ...closer]);
}

/** Overlapping squares of one size that cover the picture. */
function partsOf({ width, height }: Picture): readonly Square[] {
  const side = Math.max(width, height) * partSize;
  const starts = (length: number): readonly number[] =>
    length <= side ? [(length - side) / 2] : [0, length - side];
  return starts(height).flatMap((top) =>
    starts(width).map((left) => ({
      centre: { x: left + side / 2, y: top + side / 2 },
      side,
      angle: 0,
    })),
  );
}

async function seenIn(
  picture: Picture,
  square: Square,
  confidence: number,
  nets: FaceNets,
): Promise<readonly Detection[]> {
  const scale = square.side / finderSide;
  const left = square.centre.x - square.side / 2;
  const top = square.centre.y - square.side / 2;
  const detections = await nets.locate(patchOf(picture, square, finderSide), confidence);
  return detections.map((face) => ({
    left: left + face.left * scale,
    top: top + face.top * scale,
    width: face.width * scale,
    height: face.height * scale,
    score: face.score,
  }));
}

/** Whether a face touches an edge of its part inside the picture: the next part shows the whole face. */
function isCut(face: Detection, { centre, side }: Square, { width, height }: Picture): boolean {
  const near = side * 0.01;
  const [left, top] = [centre.x - side / 2, centre.y - side / 2];
  const [right, bottom] = [left + side, top + side];
  return (
    (left > 0 && face.left < left + near) ||
    (top > 0 && face.top < top + near) ||
    (right < width && face.left + face.width > right - near) ||
    (bottom < height && face.top + face.height > bottom - near)
  );
}

/** One detection for each face, the one with the highest score; the largest first. */
function merged(detections: readonly Detection[]): readonly Detection[] {
  const kept: Detection[] = [];
  for (const face of detections.toSorted((a, b) => b.score - a.score))
    if (!kept.some((other) => shared(face, other) > 0.5)) kept.push(face);
  return kept.toSorted((a, b) => areaOf(b) - areaOf(a) || a.left - b.left);
}

const areaOf = ({ width, height }: Detection): number => width * height;

/** The intersection as a share of the smaller one. */
function shared(a: Detection, b: Detection): number {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return (Math.max(0, width) * Math.max(0, height)) / Math.min(areaOf(a), areaOf(b));
}

function regionOf({ left, top, width, height }: Detection, picture: Picture): Region {
  const x = Math.max(0, left / picture.width);
  const y = Math.max(0, top / picture.height);
  return {
    x,
    y,
    width: Math.min(1, (left + width) / picture.width) - x,
    height: Math.min(1, (top + height) / picture.height) - y,
  };
}
