// video-to-video: the clip with the art style written on it, a running clock, and its own sound.
import { textIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderLabelled, withClip } from '../clips/source-clip.ts';

export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  withClip(request, request.most, (source) => {
    const fps = textIn(request, 'fps_resolution') === 'HALF' ? source.fps / 2 : source.fps;
    const fields = ['style.art_style', 'style.model', 'style.prompt'];
    const words = fields.map((field) => textIn(request, field)).filter((text) => text !== '');
    return renderLabelled(request, source, fps, words.join(', '));
  });
