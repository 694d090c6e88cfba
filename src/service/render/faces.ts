// Where a face may be: a guess. One square around the point that draws the most attention, by the same measure
// that crops pictures well (skin tones, contrast, colour). It knows nothing of faces and always finds exactly one.
import sharp from 'sharp';
import type { Region } from '../detections.ts';
import { type Picture, sharpOf } from './picture.ts';

/** The side of the guessed square, of the picture's shorter side. */
const share = 0.45;

export async function guessFace(picture: Picture): Promise<Region> {
  const { width, height } = picture;
  const side = Math.max(1, Math.min(width, height) * share);
  const { info } = await sharpOf(picture)
    .resize(64, 64, { fit: 'cover', position: sharp.strategy.attention })
    .toBuffer({ resolveWithObject: true });
  const within = (centre: number, length: number): number =>
    Math.min(length - side, Math.max(0, centre - side / 2)) / length;
  return {
    x: within(info.attentionX ?? width / 2, width),
    y: within(info.attentionY ?? height / 2, height),
    width: side / width,
    height: side / height,
  };
}
