// auto-subtitle-generator: the clip and its sound, with the look of the subtitles and a running clock. Nothing here
// understands speech.
import { textIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderLabelled, withClip } from '../clips/source-clip.ts';

export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  withClip(request, request.most, (source) =>
    renderLabelled(
      request,
      source,
      source.fps,
      `Subtitles: ${textIn(request, 'style.template') || 'custom'}`,
    ),
  );
