// video-to-video: each frame of the clip drawn in the art style, with the clip's own sound.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { artStyleOf } from '../real/video/art-styles.ts';
import { textIn } from '../base/fields.ts';
import { restylingOf } from '../real/video/restyle.ts';
import { renderChanged, withClip } from '../clips/source-clip.ts';
import { weatherOf } from '../real/video/weather.ts';

export function renderVideoToVideo(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, request.most, (source) => {
    const { size } = source;
    const fps = textIn(request, 'fps_resolution') === 'HALF' ? source.fps / 2 : source.fps;
    const prompt = textIn(request, 'style.prompt');
    const model = textIn(request, 'style.model').replace('default', '');
    const restyle = restylingOf(artStyleOf(`${textIn(request, 'style.art_style')} ${model}`), size);
    const weather = weatherOf(prompt, request.seed);
    return renderChanged(request, source, fps, (frame, time) => {
      const drawn = restyle(frame);
      weather?.(drawn, time);
      return drawn;
    });
  });
}
