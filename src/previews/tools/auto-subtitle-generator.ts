// auto-subtitle-generator: the clip with words burnt into it, in time with its sound.
import { barOf } from '../pictures/mark.ts';
import type { Picture } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { type Block, layBlock } from '../real/video/block.ts';
import { fill } from '../pictures/canvas.ts';
import { renderChanged, withClip } from '../clips/source-clip.ts';
import { type SubtitleLook, subtitleLookOf } from '../real/video/subtitle-look.ts';
import { blockOf, cuesOf, spokenAt } from '../real/video/subtitles.ts';
import { levelsIn } from '../sound/voice.ts';

export function renderAutoSubtitles(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, request.most, async (source) => {
    const { size, seconds, fps, sound } = source;
    const look = subtitleLookOf(request.body, size);
    const bottom = barOf(size);
    const cues = cuesOf(seconds);
    const levels = await levelsIn(sound);
    let shown: { readonly name: string; readonly block: Block } | undefined;
    return renderChanged(request, source, fps, async (frame, time) => {
      letterbox(frame, look, bottom);
      const spoken = spokenAt(cues, levels, time);
      if (spoken === undefined) return frame;
      const name = `${spoken.cue.start} ${spoken.word}`;
      if (shown?.name !== name)
        shown = { name, block: await blockOf(spoken.cue, spoken.word, look, size, bottom) };
      layBlock(frame, shown.block);
      return frame;
    });
  });
}

/** Black bars above and below, as in the cinema; the lower one stands on the rehearsal strip. */
function letterbox(frame: Picture, { letterbox: share }: SubtitleLook, bottom: number): void {
  if (share === 0) return;
  const { width, height } = frame;
  const bar = height * share;
  fill(frame, { left: 0, right: width, top: 0, bottom: bar }, [0, 0, 0], 1);
  fill(frame, { left: 0, right: width, top: height - bottom - bar, bottom: height }, [0, 0, 0], 1);
}
