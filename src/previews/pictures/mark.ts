// The mark on every output, so that nobody mistakes a rehearsal's output for the hosted service's.
import { hueOf } from '../base/key.ts';
import { black, colourOf, fill } from './canvas.ts';
import { widthInDots, write } from './lettering.ts';
import type { Picture, Size } from './picture.ts';

const word = 'REHEARSAL';

/** A dot of the mark's lettering, in pixels of the picture. */
const dotOf = ({ width, height }: Size): number =>
  Math.max(1, Math.floor(Math.min(width / 190, height / 60)));

/** The height of the mark in pixels. */
export const markHeight = (size: Size): number => Math.min(size.height, dotOf(size) * 13);

/** Paints a strip with the word REHEARSAL, a caption, and a colour that comes from `key`, onto the lower edge. */
export function mark(picture: Picture, caption: string, key: string): void {
  const dot = dotOf(picture);
  const { width } = picture;
  const height = markHeight(picture);
  const top = picture.height - height;
  const hue = hueOf(key);
  // Opaque: below it may be the mark of a preview that this one is made from.
  fill(picture, { left: 0, top, width, height }, black);
  fill(picture, { left: 0, top, width: dot * 3, height }, colourOf(hue, 0.6, 0.6));
  write(picture, word, { left: dot * 6, top: top + dot * 3, dot });
  const room = Math.floor((width / dot - widthInDots(word) - 18) / 6);
  if (room < 4) return;
  const left = dot * (widthInDots(word) + 14);
  write(
    picture,
    caption.slice(0, room),
    { left, top: top + dot * 3, dot },
    colourOf(hue, 0.6, 0.8),
  );
}
