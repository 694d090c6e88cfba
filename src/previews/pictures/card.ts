// A card: the picture that stands for a result that a rehearsal does not draw. It shows what the tool was given: its
// parameters, and its pictures as thumbnails.
import { hueOf } from '../base/key.ts';
import { colourOf, fill, filled, paste, type Rectangle } from './canvas.ts';
import { dotOf, lineDots, widthInDots, wrap, write } from './lettering.ts';
import { markHeight } from './mark.ts';
import { type Picture, pictureOf, type Size, sharpOf } from './picture.ts';

export interface Card {
  readonly title: string;
  readonly lines: readonly string[];
  readonly thumbnails: readonly Thumbnail[];
  /** Cards with different keys have different colours. */
  readonly key: string;
}

export interface Thumbnail {
  readonly label: string;
  readonly picture: Picture;
}

/** How much of a card its thumbnails may take. */
const thumbnailShare = 0.45;

export async function drawCard(
  { title, lines, thumbnails, key }: Card,
  size: Size,
): Promise<Picture> {
  const dot = dotOf(size);
  const margin = dot * 8;
  const hue = hueOf(key);
  const picture = filled(size, colourOf(hue, 0.35, 0.22));
  const width = size.width - 2 * margin;
  const titleDot = Math.max(1, Math.min(2 * dot, Math.floor(width / widthInDots(title))));
  const headline = margin + titleDot * (lineDots + 2);
  fill(
    picture,
    { left: 0, top: 0, width: size.width, height: headline },
    colourOf(hue, 0.45, 0.36),
  );
  write(picture, title, { left: margin, top: margin, dot: titleDot });

  // The lowest line is left to the clock of clips, the strip below it to the mark.
  const bottom = size.height - markHeight(size) - dot * lineDots * 1.5;
  const height = thumbnails.length === 0 ? 0 : size.height * thumbnailShare;
  const top = headline + dot * lineDots;
  const rows = Math.floor((bottom - height - top) / (dot * lineDots));
  const letters = Math.floor(width / (dot * 6));
  const said = lines.flatMap((line) => wrap(line, letters, Math.max(1, rows))).slice(0, rows);
  for (const [row, line] of said.entries())
    write(picture, line, { left: margin, top: top + row * dot * lineDots, dot });
  await pasteThumbnails(picture, { left: margin, top: bottom - height, width, height }, thumbnails);
  return picture;
}

/** Puts labelled thumbnails side by side onto an area of a picture. */
async function pasteThumbnails(
  picture: Picture,
  area: Rectangle,
  thumbnails: readonly Thumbnail[],
): Promise<void> {
  const dot = dotOf(picture);
  const columns = thumbnails.length <= 4 ? thumbnails.length : Math.ceil(thumbnails.length / 2);
  const cell = {
    width: Math.floor(area.width / columns),
    height: Math.floor(area.height / Math.ceil(thumbnails.length / columns)),
  };
  for (const [index, thumbnail] of thumbnails.entries()) {
    const left = Math.round(area.left + (index % columns) * cell.width);
    const top = Math.round(area.top + Math.floor(index / columns) * cell.height);
    const room = {
      width: Math.max(1, cell.width - dot * 4),
      height: Math.max(1, cell.height - dot * (lineDots + 4)),
    };
    const small = await pictureOf(sharpOf(thumbnail.picture).resize({ ...room, fit: 'inside' }));
    paste(picture, small, left, top);
    const label = thumbnail.label.slice(0, Math.floor(room.width / (dot * 6)));
    write(picture, label, { left, top: top + small.height + dot * 2, dot });
  }
}

/** What stands for a picture or a clip that is not here, or that cannot be decoded here. */
export const placeholder = (title: string, reference: string, size: Size): Promise<Picture> =>
  drawCard({ title, lines: [reference], thumbnails: [], key: reference }, size);

/** Of a file that is only somebody else's URL. */
export const notFetched = 'Not fetched';
