// auto-subtitle-generator: the clip and its sound, with the running time where subtitles stand. Nothing here understands
// speech.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderChanged, withClip } from '../clips/source-clip.ts';
import { black, fill } from '../pictures/canvas.ts';
import { dotOf } from '../pictures/card.ts';
import { timeText } from '../pictures/clock.ts';
import { lineDots, widthInDots, write } from '../pictures/lettering.ts';
import { markHeight } from '../pictures/mark.ts';
import type { Picture } from '../pictures/picture.ts';

export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  withClip(request, request.most, (source) =>
    renderChanged(request, source, source.fps, (frame, time) =>
      paintSubtitle(frame, `Subtitle at ${timeText(time)}`),
    ),
  );

function paintSubtitle(frame: Picture, text: string): void {
  const dot = dotOf(frame);
  const width = widthInDots(text) * dot;
  const left = Math.max(0, Math.round((frame.width - width) / 2));
  const top = frame.height - markHeight(frame) - dot * (lineDots + 6);
  const plate = { left: left - dot * 3, top: top - dot * 3, width: width + dot * 6 };
  fill(frame, { ...plate, height: dot * (lineDots + 4) }, black, 0.6);
  write(frame, text, { left, top, dot });
}
