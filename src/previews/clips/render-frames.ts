// The last stage of every video tool: its pictures get the rehearsal strip, and become the file 0.mp4.
import { join } from 'node:path';
import { err, ok } from '../../contract/base/result.ts';
import { keyOf } from '../base/key.ts';
import { stripFor } from '../pictures/mark.ts';
import type { Picture } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { countOf } from './cut.ts';
import type { Sound } from './sound.ts';
import { layStrip } from '../real/clip/strip.ts';
import { writeClip } from './write.ts';
import type { Pace } from './encoding.ts';

/** Ten minutes: more is not rendered in a rehearsal. */
const mostSeconds = 600;

export interface MadeClip extends Pace {
  readonly seconds: number;
}

/** The picture of a moment, of the clip's size; it is painted on, so none may be handed out twice. */
export type PictureAt = (seconds: number, index: number) => Picture | Promise<Picture>;

/** Renders a clip whose pictures can be made one after the other, each for its moment. */
export async function renderFrames(
  request: RenderRequest,
  clip: MadeClip,
  pictureAt: PictureAt,
  sound?: Sound,
): Promise<RenderOutcome> {
  const { width, height, fps, seconds } = clip;
  if (seconds > mostSeconds)
    return err({
      code: 'invalid_parameters',
      message: `A clip of ${Math.round(seconds)} seconds is longer than the ${mostSeconds} that are rendered`,
    });
  const strip = await stripFor(clip, request.tool.name, keyOf(request));
  const count = countOf({ start: 0, end: seconds, fps });
  async function* frames(): AsyncGenerator<Picture> {
    for (let index = 0; index < count; index++) {
      const picture = await pictureAt(index / fps, index);
      layStrip(picture, strip);
      yield picture;
    }
  }
  const name = '0.mp4';
  const file = join(request.folder, name);
  await writeClip({ file, width, height, fps, frames: frames(), sound });
  return ok([{ name, width, height, fps }]);
}
