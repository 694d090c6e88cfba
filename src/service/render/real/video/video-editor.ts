// ai-video-editor: the clip in the light and the weather that the prompt speaks of, with the prompt as a caption and
// the clip's own sound.
import { keyOf } from '../../key.ts';
import type { RenderOutcome, RenderRequest } from '../../request.ts';
import { renderFrames } from '../clip/made-clip.ts';
import { layBlock } from './block.ts';
import { captionOf } from './caption.ts';
import { editOf } from './edits.ts';
import { sideIn, textIn } from './order.ts';
import { restylingOf } from './restyle.ts';
import { framesIn, withClip } from './source-clip.ts';
import { weatherOf } from './weather.ts';

export function renderVideoEditor(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, sideIn(request, request.most), async (source) => {
    const { size, seconds, fps, sound } = source;
    const prompt = textIn(request, 'style.prompt');
    const restyle = restylingOf(editOf(prompt, keyOf(request)), size);
    const weather = weatherOf(prompt, request.seed);
    const caption = await captionOf(prompt, size);
    const next = framesIn(source, fps);
    return renderFrames(
      request,
      { ...size, fps, seconds },
      async (time) => {
        const frame = restyle(await next());
        weather?.(frame, time);
        layBlock(frame, caption);
        return frame;
      },
      sound,
    );
  });
}
