// The mark on every output, so that nobody mistakes a rehearsal's output for the hosted service's; and what is written on
// the frames of clips: a running clock, and words of the request.
import { hueOf } from '../base/key.ts';
import { black, type Colour, colourOf, fill, white } from './canvas.ts';
import { dotOf, lineDots, widthInDots, wrap, write } from './lettering.ts';
import type { Picture, Size } from './picture.ts';

const word = 'REHEARSAL';

/** A dot of the mark's lettering, in pixels of the picture. */
const markDot = ({ width, height }: Size): number =>
  Math.max(1, Math.floor(Math.min(width / 190, height / 60)));

/** The height of the mark in pixels. */
export const markHeight = (size: Size): number => Math.min(size.height, markDot(size) * 13);

/** Paints a strip with the word REHEARSAL, a caption, and a colour that comes from `key`, onto the lower edge. */
export function mark(picture: Picture, caption: string, key: string): void {
  const dot = markDot(picture);
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

const grey: Colour = [120, 120, 120];

/** Paints a time of a clip and a progress bar right above the mark. */
export function paintClock(frame: Picture, time: number, seconds: number): void {
  const dot = dotOf(frame);
  const { width } = frame;
  const bottom = frame.height - markHeight(frame);
  const text = `${timeText(time)} / ${timeText(seconds)}`;
  const plate = { left: dot * 6, top: bottom - dot * (lineDots + 5), height: dot * lineDots };
  fill(frame, { ...plate, width: dot * (widthInDots(text) + 4) }, black);
  write(frame, text, { left: dot * 8, top: bottom - dot * (lineDots + 3), dot });
  const bar = { left: 0, top: bottom - dot * 2, width, height: dot * 2 };
  fill(frame, bar, grey);
  fill(frame, { ...bar, width: Math.round((width * time) / seconds) }, white);
}

/** 65.25 seconds: `1:05.25`. */
export function timeText(seconds: number): string {
  const hundredths = Math.round(seconds * 100);
  const rest = (hundredths % 6000) / 100;
  return `${Math.floor(hundredths / 6000)}:${rest.toFixed(2).padStart(5, '0')}`;
}

const maxWordLines = 3;

/** Paints words onto the upper edge of a frame. */
export function paintWords(frame: Picture, words: string): void {
  const dot = dotOf(frame);
  const lines = wrap(words, Math.floor((frame.width - dot * 16) / (dot * 6)), maxWordLines);
  const height = lines.length === 0 ? 0 : dot * (lines.length * lineDots + 8);
  fill(frame, { left: 0, top: 0, width: frame.width, height }, black);
  for (const [row, line] of lines.entries())
    write(frame, line, { left: dot * 8, top: dot * (5 + row * lineDots), dot });
}
