// text-to-video: a camera moves through a scene of the prompt.
import { clipOf } from '../../contract/api/clip.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderFrames } from '../clips/render-frames.ts';
import { sizeWith } from '../clips/size.ts';
import { layBlock } from '../real/video/block.ts';
import { seen, stillFor } from '../real/video/camera.ts';
import { captionOf } from '../real/video/caption.ts';
import { moveOf } from '../real/video/moves.ts';
import { sideIn, textIn } from '../base/fields.ts';
import { sceneOf } from '../real/video/setting.ts';
import { bedFor } from '../sound/voice.ts';
import { weatherOf } from '../real/video/weather.ts';

const fps = 24;
const wide: readonly [number, number] = [16, 9];
const shapes: Readonly<Record<string, readonly [number, number]>> = {
  '16:9': wide,
  '9:16': [9, 16],
  '1:1': [1, 1],
  landscape: wide,
  portrait: [9, 16],
  square: [1, 1],
};

export async function renderTextToVideo(request: RenderRequest): Promise<RenderOutcome> {
  const { body, seed } = request;
  const shape = textIn(request, 'aspect_ratio') || textIn(request, 'orientation');
  const [across, down] = shapes[shape] ?? wide;
  const size = sizeWith(across, down, sideIn(request));
  const { seconds } = clipOf(body);
  const key = keyOf(request);
  const prompt = textIn(request, 'style.prompt');
  const move = moveOf(prompt, seconds, key);
  const weather = weatherOf(prompt, seed);
  const still = await stillFor(await sceneOf(prompt, request, size), size);
  const caption = await captionOf(prompt, size);
  return renderFrames(
    request,
    { ...size, fps, seconds },
    (time) => {
      const frame = seen(still, move(time, 0), size);
      weather?.(frame, time);
      layBlock(frame, caption);
      return frame;
    },
    body['audio'] === true ? bedFor(seconds, key) : undefined,
  );
}
