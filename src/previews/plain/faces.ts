// Where a face may be: a guess. One square around the point that draws the most attention, by the same measure
// that crops pictures well (skin tones, contrast, colour). It knows nothing of faces and always finds exactly one.
import sharp from 'sharp';
import type { Region } from '../../contract/api/region.ts';
import { type Picture, sharpOf } from '../pictures/picture.ts';

/** The side of the guessed square, of the picture's shorter side. */
const share = 0.3;
/** The shorter side of the picture as it is looked at, in pixels. */
const looked = 160;

export async function guessFace(picture: Picture): Promise<Region> {
  const { width, height } = picture;
  const side = Math.max(1, Math.min(width, height) * share);
  const { info } = await sharpOf(picture)
    .resize(looked, looked, { fit: 'cover', position: sharp.strategy.attention })
    .toBuffer({ resolveWithObject: true });
  // The point is counted in the picture as it was made smaller for looking.
  const scale = Math.min(width, height) / looked;
  const within = (centre: number, length: number): number =>
    Math.min(length - side, Math.max(0, centre * scale - side / 2)) / length;
  return {
    x: within(info.attentionX ?? width / scale / 2, width),
    y: within(info.attentionY ?? height / scale / 2, height),
    width: side / width,
    height: side / height,
  };
}
