// The last stage of every video tool: its pictures get the mark, and become a file.
import { join } from 'node:path';
import { err, ok } from '../../base/result.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { mark } from '../pictures/mark.ts';
import type { Picture } from '../pictures/picture.ts';
import { frameCountOf } from './sample-frames.ts';
import type { Sound } from './sound.ts';
import { type ClipFormat, writeClip } from './write.ts';

/** Ten minutes: a rehearsal renders no more. */
const mostSeconds = 600;

export interface OutputClip extends ClipFormat {
  readonly seconds: number;
  /** Default: mp4. */
  readonly extension?: string;
}

/** The picture of a moment, of the clip's size. It is painted on, so each must be a new one. */
export type PictureAt = (seconds: number) => Picture;

/** Renders a clip whose picture can be made for any moment. */
export function renderFrames(
  request: RenderRequest,
  clip: OutputClip,
  pictureAt: PictureAt,
  sound?: Sound,
): Promise<RenderOutcome> {
  async function* pictures(): AsyncGenerator<Picture> {
    const count = frameCountOf({ start: 0, end: clip.seconds, fps: clip.fps });
    for (let index = 0; index < count; index++) yield pictureAt(index / clip.fps);
  }
  return renderPictures(request, clip, pictures(), sound);
}

/** Renders pictures, of the clip's size and as many as its length says. They are painted on. */
export async function renderPictures(
  request: RenderRequest,
  clip: OutputClip,
  pictures: AsyncIterable<Picture>,
  sound?: Sound,
): Promise<RenderOutcome> {
  const { width, height, fps, seconds, extension = 'mp4' } = clip;
  if (seconds > mostSeconds)
    return err({
      code: 'invalid_parameters',
      message: `A clip of ${Math.round(seconds)} seconds is too long: the local service renders at most ${mostSeconds} seconds`,
    });
  const key = keyOf(request);
  async function* marked(): AsyncGenerator<Picture> {
    for await (const picture of pictures) {
      mark(picture, request.tool.name, key);
      yield picture;
    }
  }
  const name = `0.${extension}`;
  const file = join(request.folder, name);
  await writeClip({ file, width, height, fps, frames: marked(), sound });
  return ok([{ name, width, height, fps }]);
}
