// The words of a request on its picture, small, right above the mark: who looks at it sees what was asked for.
import sharp from 'sharp';
import { barOf } from '../../pictures/mark.ts';
import { layer, type Picture, pictureOf, sharpOf } from '../../pictures/picture.ts';
import { fittedText, letteringPicture } from './smooth-lettering.ts';

/** How high the caption may be, of the picture's height. */
const share = 0.085;
const look = { ink: { r: 255, g: 255, b: 255 }, outline: { r: 0, g: 0, b: 0 } };

export async function captioned(picture: Picture, text: string): Promise<Picture> {
  const { width, height } = picture;
  const bar = barOf(picture);
  const dot = Math.max(1, Math.min(width, height) / 230);
  const room = { width: Math.floor(width * 0.94), height: Math.floor(height * share) };
  const words = await letteringPicture(
    fittedText(text, room.width, Math.max(room.height, dot * 10), dot),
    room.width,
    look,
  );
  const top = height - bar - words.height;
  if (top < 0) return picture;
  const shade = await pictureOf(
    sharp(
      Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${words.height}">
        <rect width="100%" height="100%" fill="black" fill-opacity=".42"/></svg>`),
    ),
  );
  const left = Math.round((width - words.width) / 2);
  return pictureOf(sharpOf(picture).composite([layer(shade, 0, top), layer(words, left, top)]));
}
