// The clip of a request, visibly changed: posterized, with the request's words on it.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { black, fill } from '../pictures/canvas.ts';
import { dotOf } from '../pictures/card.ts';
import { paintClock } from '../pictures/clock.ts';
import { lineDots, wrap, write } from '../pictures/lettering.ts';
import type { Picture } from '../pictures/picture.ts';
import { renderChanged, type SourceClip } from './source-clip.ts';

/** Each channel is rounded to a multiple of this. */
const step = 64;
const mostLines = 3;

export function renderEdited(
  request: RenderRequest,
  source: SourceClip,
  fps: number,
  words: string,
): Promise<RenderOutcome> {
  return renderChanged(request, source, fps, (frame, time) => {
    posterize(frame);
    paintWords(frame, words);
    paintClock(frame, time, source.seconds);
  });
}

function posterize({ pixels }: Picture): void {
  for (let at = 0; at < pixels.length; at += 4)
    for (let channel = at; channel < at + 3; channel++)
      pixels[channel] = Math.min(255, Math.round((pixels[channel] ?? 0) / step) * step);
}

function paintWords(frame: Picture, words: string): void {
  const dot = dotOf(frame);
  const lines = wrap(words, Math.floor((frame.width - dot * 16) / (dot * 6)), mostLines);
  const height = lines.length === 0 ? 0 : dot * (lines.length * lineDots + 8);
  fill(frame, { left: 0, top: 0, width: frame.width, height }, black, 0.5);
  for (const [row, line] of lines.entries())
    write(frame, line, { left: dot * 8, top: dot * (5 + row * lineDots), dot });
}
