// Shows which face is meant: an oval of a new face, as large as the face below it, or a frame around a face. Neither looks
// like a result.
import { type Colour, outline, ovalOf, paste } from '../pictures/canvas.ts';
import { type Picture, pictureOf, pixelsOf, resized, sharpOf } from '../pictures/picture.ts';
import type { Face } from './find.ts';

/** The face of a picture by itself. */
export async function cutFace(picture: Picture, { region }: Face): Promise<Picture> {
  return ovalOf(await pictureOf(sharpOf(picture).extract(pixelsOf(region, picture))));
}

export interface FaceOverlay {
  readonly picture: Picture;
  readonly left: number;
  readonly top: number;
}

/** A face that was cut out, in the size and the place of a face of another picture. */
export async function overlayOf(
  cut: Picture,
  { region }: Face,
  target: Picture,
): Promise<FaceOverlay> {
  const { left, top, ...size } = pixelsOf(region, target);
  return { picture: await resized(cut, size), left, top };
}

export const layFace = (target: Picture, { picture, left, top }: FaceOverlay): void =>
  paste(target, picture, left, top);

const yellow: Colour = [255, 220, 0];

/** A frame around a face that is to speak. */
export function frameFace(picture: Picture, { region }: Pick<Face, 'region'>): void {
  const area = pixelsOf(region, picture);
  outline(picture, area, yellow, Math.max(1, Math.round(area.width / 30)));
}
