// ai-video-editor: the clip in the light and the weather that the prompt speaks of, with the prompt as a caption and
// the clip's own sound.
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { layBlock } from '../real/video/block.ts';
import { captionOf } from '../real/video/caption.ts';
import { editOf } from '../real/video/edits.ts';
import { sideIn, textIn } from '../base/fields.ts';
import { restylingOf } from '../real/video/restyle.ts';
import { renderChanged, withClip } from '../clips/source-clip.ts';
import { weatherOf } from '../real/video/weather.ts';

export function renderVideoEditor(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, sideIn(request, request.most), async (source) => {
    const { size, fps } = source;
    const prompt = textIn(request, 'style.prompt');
    const restyle = restylingOf(editOf(prompt, keyOf(request)), size);
    const weather = weatherOf(prompt, request.seed);
    const caption = await captionOf(prompt, size);
    return renderChanged(request, source, fps, (frame, time) => {
      const edited = restyle(frame);
      weather?.(edited, time);
      layBlock(edited, caption);
      return edited;
    });
  });
}
