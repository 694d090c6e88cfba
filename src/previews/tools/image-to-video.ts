// image-to-video: a camera moves over the picture, as the prompt says, and comes to the last picture where one is given.
import { clipOf } from '../../contract/api/clip.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderFrames } from '../clips/render-frames.ts';
import { sizeWith } from '../clips/size.ts';
import { seen, stillFor } from '../real/video/camera.ts';
import { type FrameSize, fade } from '../pictures/canvas.ts';
import { moveOf } from '../real/video/moves.ts';
import { numberIn, sideIn, textIn } from '../base/fields.ts';
import { pictureIn } from '../real/video/setting.ts';
import { bedFor } from '../sound/voice.ts';
import { weatherOf } from '../real/video/weather.ts';

const fps = 24;
/** The part of the clip in which the last picture takes over. */
const change = { from: 0.35, to: 0.85 };

export async function renderImageToVideo(request: RenderRequest): Promise<RenderOutcome> {
  const { body, seed } = request;
  const first = await pictureIn(request, 'assets.image_file_path');
  if (!first.ok) return first;
  if (first.value === undefined) throw new Error('bug: image-to-video has a picture');
  const last = await pictureIn(request, 'assets.end_image_file_path');
  if (!last.ok) return last;

  const size = sizeIn(request, first.value);
  const { seconds } = clipOf(body);
  const key = keyOf(request);
  const prompt = textIn(request, 'style.prompt');
  const move = moveOf(prompt, seconds, key);
  const weather = weatherOf(prompt, seed);
  const still = await stillFor(first.value, size);
  const end = last.value === undefined ? undefined : await stillFor(last.value, size);
  return renderFrames(
    request,
    { ...size, fps, seconds },
    (time) => {
      const view = move(time, 0);
      const frame = seen(still, view, size);
      const share = (time / seconds - change.from) / (change.to - change.from);
      if (end !== undefined && share > 0) fade(frame, seen(end, view, size), eased(share));
      weather?.(frame, time);
      return frame;
    },
    body['audio'] === true ? bedFor(seconds, key) : undefined,
  );
}

/** Slow at both ends. */
const eased = (share: number): number => {
  const within = Math.min(1, Math.max(0, share));
  return within * within * (3 - 2 * within);
};

/** Width and height where the request gives both; else the picture's proportions. */
function sizeIn(request: RenderRequest, picture: FrameSize): FrameSize {
  const width = numberIn(request, 'width');
  const height = numberIn(request, 'height');
  if (width === undefined || height === undefined || Math.min(width, height) < 1)
    return sizeWith(picture.width, picture.height, sideIn(request));
  return sizeWith(width, height, Math.min(width, height, request.most));
}
