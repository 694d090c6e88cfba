// Finds the faces in a picture, including the small ones in a group photo. The search covers the whole picture first, and
// then enlarged parts where small faces are likely.
import type { Region } from '../../contract/api/asset.ts';
import type { Rectangle } from '../pictures/canvas.ts';
import type { Picture, Size } from '../pictures/picture.ts';
import { faceNets, finderSide, patchOf } from './nets.ts';

export interface Face {
  /** From the forehead to the chin and from cheek to cheek, inside the picture. */
  readonly region: Region;
  /** The detector's confidence: 0 to 1. */
  readonly score: number;
}

/** A face in pixels of the picture. */
type FoundBox = Rectangle & Pick<Face, 'score'>;

/** Height in pixels of the finder's input: the finder misses many smaller faces, and misplaces others. */
const smallFace = 32;
/** A small face with this little confidence is reason enough to search the parts. */
const hint = 0.15;
/** The side of a part, as a share of the whole: more than half, so that no face lies only on a seam. */
const partSize = 0.56;

/**
 * The faces with at least this confidence, the largest first; of two faces of one size, the left one first. A search
 * takes 0.5 s of one core, whatever the picture's size; searching the parts takes up to 2 s more.
 */
export async function findFaces(picture: Picture, confidence: number): Promise<readonly Face[]> {
  const whole = Math.max(picture.width, picture.height);
  const seen = await boxesIn(picture, { left: 0, top: 0, ...sizeOf(picture) }, hint);
  const large = seen.filter(({ height }) => height >= (smallFace * whole) / finderSide);
  const sure = (box: FoundBox) => box.score >= confidence;
  if (whole <= finderSide) return facesOf(seen.filter(sure), picture);
  if (seen.length > 0 && large.length === seen.length) return facesOf(large.filter(sure), picture);
  const closer: FoundBox[] = [];
  for (const part of partsOf(picture)) {
    const found = await boxesIn(picture, part, confidence);
    closer.push(...found.filter((box) => !isCut(box, part, picture)));
  }
  return facesOf([...large.filter(sure), ...closer], picture);
}

const sizeOf = ({ width, height }: Size): Size => ({ width, height });

/** Overlapping parts of one size that cover the picture. */
function partsOf({ width, height }: Size): readonly Rectangle[] {
  const side = Math.ceil(Math.max(width, height) * partSize);
  const starts = (length: number): readonly number[] => (length <= side ? [0] : [0, length - side]);
  return starts(height).flatMap((top) =>
    starts(width).map((left) => ({
      left,
      top,
      width: Math.min(side, width),
      height: Math.min(side, height),
    })),
  );
}

async function boxesIn(
  picture: Picture,
  part: Rectangle,
  confidence: number,
): Promise<readonly FoundBox[]> {
  const nets = await faceNets();
  const { pixels, scale } = await patchOf(picture, part, finderSide);
  const boxes = await nets.locate(pixels, confidence);
  return boxes.map(({ left, top, width, height, score }) => ({
    left: part.left + left * scale,
    top: part.top + top * scale,
    width: width * scale,
    height: height * scale,
    score,
  }));
}

/** Whether a face touches an edge of its part inside the picture: the next part shows the whole face. */
function isCut(face: Rectangle, part: Rectangle, { width, height }: Size): boolean {
  const near = Math.max(part.width, part.height) * 0.01;
  const [right, bottom] = [part.left + part.width, part.top + part.height];
  return (
    (part.left > 0 && face.left < part.left + near) ||
    (part.top > 0 && face.top < part.top + near) ||
    (right < width && face.left + face.width > right - near) ||
    (bottom < height && face.top + face.height > bottom - near)
  );
}

/** One face for each that was found, by its highest score; the largest first. */
function facesOf(boxes: readonly FoundBox[], picture: Size): readonly Face[] {
  const kept: FoundBox[] = [];
  for (const box of boxes.toSorted((a, b) => b.score - a.score))
    if (!kept.some((other) => shared(box, other) > 0.5)) kept.push(box);
  return kept
    .toSorted((a, b) => areaOf(b) - areaOf(a) || a.left - b.left)
    .map((box) => ({ region: regionOf(box, picture), score: box.score }));
}

const areaOf = ({ width, height }: Size): number => width * height;

/** The intersection as a share of the smaller one. */
function shared(a: Rectangle, b: Rectangle): number {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return (Math.max(0, width) * Math.max(0, height)) / Math.min(areaOf(a), areaOf(b));
}

function regionOf({ left, top, width, height }: Rectangle, picture: Size): Region {
  const x = Math.max(0, left / picture.width);
  const y = Math.max(0, top / picture.height);
  return {
    x,
    y,
    width: Math.min(1, (left + width) / picture.width) - x,
    height: Math.min(1, (top + height) / picture.height) - y,
  };
}
