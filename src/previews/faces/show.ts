// Shows which face is meant: an oval of a new face, as large as the face below it, or a frame around a face. Neither looks
// like a result.
import type { Region } from '../../contract/api/asset.ts';
import { type Colour, outline, ovalOf, paste } from '../pictures/canvas.ts';
import { type Picture, pictureOf, pixelsOf, resized, sharpOf } from '../pictures/picture.ts';
import type { Face } from './find.ts';

/** A part of a picture by itself, as an oval; without a part, all of it. */
export async function cutOut(picture: Picture, part: Region | undefined): Promise<Picture> {
  if (part === undefined) return ovalOf(picture);
  return ovalOf(await pictureOf(sharpOf(picture).extract(pixelsOf(part, picture))));
}

export interface Overlay {
  readonly picture: Picture;
  readonly left: number;
  readonly top: number;
}

/** What was cut out, in the size and the place of a region of another picture. */
export async function overlayOf(cut: Picture, region: Region, target: Picture): Promise<Overlay> {
  const { left, top, ...size } = pixelsOf(region, target);
  return { picture: await resized(cut, size), left, top };
}

export const layOver = (target: Picture, { picture, left, top }: Overlay): void =>
  paste(target, picture, left, top);

const yellow: Colour = [255, 220, 0];

/** A frame around a face that is to speak. */
export function frameFace(picture: Picture, { region }: Face): void {
  const area = pixelsOf(region, picture);
  outline(picture, area, yellow, Math.max(1, Math.round(area.width / 30)));
}
