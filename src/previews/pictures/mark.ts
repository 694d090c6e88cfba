// The mark on every picture that is made here: nobody shall take a rehearsal for the real thing.
import sharp from 'sharp';
import { hueOf } from './card.ts';
import { lettering, widthInDots } from './lettering.ts';
import { layer, type Picture, pictureOf, sharpOf } from './picture.ts';

type Extent = Pick<Picture, 'width' | 'height'>;

/** A dot of the mark's lettering, in pixels of the picture. */
const dotOf = ({ width, height }: Extent): number =>
  Math.max(1, Math.floor(Math.min(width / 190, height / 60)));

/** How high the strip on a picture is, in pixels. */
export const barOf = (extent: Extent): number => Math.min(extent.height, dotOf(extent) * 13);

/** Lays a strip with the word REHEARSAL, a caption and a colour that comes from `key` on the lower edge. */
export async function marked(picture: Picture, caption: string, key: string): Promise<Picture> {
  const strip = await stripFor(picture, caption, key);
  return pictureOf(sharpOf(picture).composite([layer(strip, 0, picture.height - strip.height)]));
}

/** The strip alone, as wide as the picture; a clip draws it once for all of its frames. */
export function stripFor(
  { width, height }: Extent,
  caption: string,
  key: string,
): Promise<Picture> {
  const dot = dotOf({ width, height });
  const bar = barOf({ width, height });
  const word = 'REHEARSAL';
  const room = Math.floor((width / dot - widthInDots(word) - 18) / 6);
  const said = room < 4 ? '' : caption.slice(0, room);
  return pictureOf(
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bar}">
          <rect width="100%" height="100%" fill="black" fill-opacity="0.6"/>
          <rect width="${dot * 3}" height="100%" fill="hsl(${hueOf(key)},70%,55%)"/>
          <path d="${lettering(word, dot * 6, dot * 3, dot)}" fill="white"/>
          <path d="${lettering(said, dot * (widthInDots(word) + 14), dot * 3, dot)}"
            fill="hsl(${hueOf(key)},70%,75%)"/>
        </svg>`,
      ),
    ),
  );
}
