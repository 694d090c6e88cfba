// One face through a clip: where its landmarks are at any time, from a few looks a second.
import type { Picture } from '../pictures/picture.ts';
import type { Face } from '../faces/find.ts';
import { distance, type Point } from '../faces/point.ts';

/** The landmarks that one look found; undefined: no face. */
export type Sight = readonly Point[] | undefined;

/** Of the faces of a look the one that goes on where the last one was; of no last one, the largest. */
export function followed(faces: readonly Face[], before: Sight): Sight {
  if (before === undefined) return faces[0]?.landmarks;
  const [nose, width] = [noseOf(before), widthOf(before)];
  const away = ({ landmarks }: Face): number => distance(noseOf(landmarks), nose);
  const near = faces.filter((face) => away(face) < width);
  return near.toSorted((a, b) => away(a) - away(b))[0]?.landmarks;
}

const at = (points: readonly Point[], index: number): Point => points[index] ?? { x: 0, y: 0 };
const noseOf = (points: readonly Point[]): Point => at(points, 30);
const widthOf = (points: readonly Point[]): number => distance(at(points, 0), at(points, 16));

/** The landmarks of a time in seconds, `rate` looks a second; between two looks, between what they saw. */
export function sightAt(sights: readonly Sight[], rate: number, time: number): Sight {
  const place = time * rate;
  const index = Math.min(sights.length - 1, Math.floor(place));
  const first = sights[index];
  const second = sights[Math.min(sights.length - 1, index + 1)];
  if (first === undefined || second === undefined) return place - index < 0.5 ? first : second;
  const share = Math.min(1, place - index);
  // Another face, or a cut: nothing is between them.
  if (distance(noseOf(first), noseOf(second)) > widthOf(first)) return share < 0.5 ? first : second;
  return first.map((point, i) => {
    const next = second[i] ?? point;
    return { x: point.x + (next.x - point.x) * share, y: point.y + (next.y - point.y) * share };
  });
}

/** The two ways to look at a picture. */
export interface Eyes {
  /** All its faces, the largest first: takes long. */
  find(picture: Picture): Promise<readonly Face[]>;
  /** A face that is near where it was: quick, and sees one even where there is none. */
  follow(picture: Picture, before: readonly Point[]): Promise<readonly Point[]>;
}

/** Every so many looks all faces are looked for, so that one that is gone is not followed for long. */
const looksBetween = 12;
/** A face that is not found in so many looks is gone, and another may speak. */
const patience = 3;
/** A mean difference in brightness that no movement makes, but a cut does. */
const cutDifference = 36;

/** Looks at pictures one after the other. */
export async function sightsIn(
  pictures: AsyncIterable<Picture>,
  eyes: Eyes,
): Promise<readonly Sight[]> {
  const sights: Sight[] = [];
  let face: Sight;
  let last: Picture | undefined;
  let [since, missed] = [0, 0];
  for await (const picture of pictures) {
    const cut = last !== undefined && differenceOf(last, picture) > cutDifference;
    if (cut) face = undefined;
    let sight: Sight;
    if (face !== undefined && missed === 0 && since < looksBetween) {
      since += 1;
      const moved = await eyes.follow(picture, face);
      sight = isLike(face, moved) ? moved : undefined;
    }
    if (sight === undefined) {
      sight = followed(await eyes.find(picture), face);
      since = 0;
    }
    sights.push(sight);
    missed = sight === undefined ? missed + 1 : 0;
    face = sight ?? (missed < patience ? face : undefined);
    last = picture;
  }
  return sights;
}

/** Heads do not grow or jump between two looks. */
function isLike(before: readonly Point[], after: readonly Point[]): boolean {
  const [was, is] = [widthOf(before), widthOf(after)];
  return is > was * 0.75 && is < was * 1.33 && distance(noseOf(before), noseOf(after)) < was;
}

/** How different two pictures are in brightness, on a grid. */
function differenceOf(one: Picture, other: Picture): number {
  const step = 4 * 97;
  let sum = 0;
  let count = 0;
  for (let at = 1; at < one.pixels.length; at += step) {
    sum += Math.abs((one.pixels[at] ?? 0) - (other.pixels[at] ?? 0));
    count += 1;
  }
  return sum / Math.max(1, count);
}
