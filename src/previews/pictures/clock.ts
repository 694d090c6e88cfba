// A running clock on the frames of a clip: it shows the length of a preview, and where a part of it begins.
import { black, type Colour, fill, white } from './canvas.ts';
import { dotOf } from './card.ts';
import { lineDots, widthInDots, write } from './lettering.ts';
import { markHeight } from './mark.ts';
import type { Picture } from './picture.ts';

const grey: Colour = [120, 120, 120];

/** Paints the time and a progress bar right above the mark. */
export function paintClock(frame: Picture, time: number, seconds: number): void {
  const dot = dotOf(frame);
  const { width } = frame;
  const bottom = frame.height - markHeight(frame);
  const text = `${timeText(time)} / ${timeText(seconds)}`;
  const plate = { left: dot * 6, top: bottom - dot * (lineDots + 5), height: dot * lineDots };
  fill(frame, { ...plate, width: dot * (widthInDots(text) + 4) }, black, 0.5);
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
