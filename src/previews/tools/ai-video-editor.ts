// ai-video-editor: the clip with the prompt written on it, a running clock, and its own sound.
import { sideIn, textIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderLabelled, withClip } from '../clips/source-clip.ts';

export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  withClip(request, sideIn(request, request.most), (source) =>
    renderLabelled(request, source, source.fps, textIn(request, 'style.prompt')),
  );
