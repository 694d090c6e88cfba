// ai-gif-generator: two seconds of a scene that moves, as a GIF, an MP4 or a WebM.
import { join } from 'node:path';
import { ok } from '../../contract/base/result.ts';
import { keyOf } from '../base/key.ts';
import { stripFor } from '../pictures/mark.ts';
import type { Picture } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { layStrip } from '../real/clip/strip.ts';
import { writeClip } from '../clips/write.ts';
import { layBlock } from '../real/video/block.ts';
import { seen, stillFor, type View } from '../real/video/camera.ts';
import { captionOf } from '../real/video/caption.ts';
import { textIn } from '../base/fields.ts';
import { sceneOf } from '../real/video/setting.ts';
import { weatherOf } from '../real/video/weather.ts';

/** The hosted service's GIFs have no published length, rate and size; these are usual ones. */
const seconds = 2;
const fps = 12;
const size = { width: 480, height: 480 };

export async function renderGif(request: RenderRequest): Promise<RenderOutcome> {
  const prompt = textIn(request, 'style.prompt');
  const still = await stillFor(await sceneOf(prompt, request, size), size);
  const caption = await captionOf(prompt, size);
  const weather = weatherOf(prompt, request.seed);
  const strip = await stripFor(size, request.tool.name, keyOf(request));
  async function* frames(): AsyncGenerator<Picture> {
    for (let index = 0; index < seconds * fps; index++) {
      const frame = seen(still, loopAt(index / (seconds * fps)), size);
      weather?.(frame, index / fps);
      layBlock(frame, caption);
      layStrip(frame, strip);
      yield frame;
    }
  }
  const name = `0.${textIn(request, 'output_format') || 'gif'}`;
  await writeClip({ file: join(request.folder, name), ...size, fps, frames: frames() });
  return ok([{ name, ...size, fps }]);
}

/** In and out again, in a small circle: the last picture leads to the first. */
function loopAt(share: number): View {
  const angle = share * 2 * Math.PI;
  return {
    zoom: 1.16 - 0.08 * Math.cos(angle),
    x: 0.025 * Math.sin(angle),
    y: 0.015 * Math.sin(angle),
    turn: 0.01 * Math.sin(angle),
  };
}
