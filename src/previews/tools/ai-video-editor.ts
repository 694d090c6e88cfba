// ai-video-editor: the clip in few colours, with the prompt written on it, a running clock, and its own sound.
import { sideIn, textIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderEdited } from '../clips/edited-clip.ts';
import { withClip } from '../clips/source-clip.ts';

export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  withClip(request, sideIn(request, request.most), (source) =>
    renderEdited(request, source, source.fps, textIn(request, 'style.prompt')),
  );
