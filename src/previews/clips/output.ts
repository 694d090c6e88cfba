// The last stage of every video tool: its pictures get the mark, and become a file; and the sizes that clips are made in.
import { join } from 'node:path';
import { err, ok } from '../../base/result.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { copyOf } from '../pictures/canvas.ts';
import { mark, paintClock } from '../pictures/mark.ts';
import type { Picture, Size } from '../pictures/picture.ts';
import { frameCountOf } from './sample-frames.ts';
import type { Sound } from './sound.ts';
import { type ClipFormat, writeClip } from './write.ts';

/** Ten minutes: a rehearsal renders no more. */
const maxSeconds = 600;
/** Frames per second of a clip that is drawn. */
export const usualFps = 24;

export interface OutputClip extends ClipFormat {
  readonly seconds: number;
  /** Default: mp4. */
  readonly extension?: string;
}

/** Renders a picture of the clip's size, with a running clock. */
export function renderStill(
  request: RenderRequest,
  picture: Picture,
  clip: OutputClip,
  sound?: Sound,
): Promise<RenderOutcome> {
  async function* pictures(): AsyncGenerator<Picture> {
    const count = frameCountOf({ start: 0, end: clip.seconds, fps: clip.fps });
    for (let index = 0; index < count; index++)
      yield withClock(picture, index / clip.fps, clip.seconds);
  }
  return renderPictures(request, clip, pictures(), sound);
}

/** The frame at a time. */
export function withClock(picture: Picture, time: number, seconds: number): Picture {
  const frame = copyOf(picture);
  paintClock(frame, time, seconds);
  return frame;
}

/** Renders pictures, of the clip's size and as many as its length says. They are painted on. */
export async function renderPictures(
  request: RenderRequest,
  clip: OutputClip,
  pictures: AsyncIterable<Picture>,
  sound?: Sound,
): Promise<RenderOutcome> {
  const { width, height, fps, seconds, extension = 'mp4' } = clip;
  if (seconds > maxSeconds)
    return err({
      code: 'invalid_parameters',
      message: `A clip of ${Math.round(seconds)} seconds is too long: the local service renders at most ${maxSeconds} seconds`,
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

// Sizes are even, as the encoders want them, and neither too small for the rehearsal strip nor too large to be worked on.

/** Pixels of the shorter side in which the strip can be read. */
const minSide = 96;
/** Pixels; a clip of odder proportions is squeezed. */
const maxSide = 2560;

/** The size with these proportions whose shorter side has so many pixels, and whose longer side has at most `longerSide`. */
export function sizeWith(
  width: number,
  height: number,
  shorterSide: number,
  longerSide = Infinity,
): Size {
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
  const side = Math.max(minSide, Math.min(shorterSide, (longerSide * shorter) / longer));
  const scale = side / shorter;
  return { width: even(width * scale), height: even(height * scale) };
}

/** The same, but nothing is enlarged, except what is tiny. */
export const sizeWithin = (
  width: number,
  height: number,
  shorterSide: number,
  longerSide?: number,
): Size => sizeWith(width, height, Math.min(shorterSide, width, height), longerSide);

const even = (pixels: number): number => Math.min(maxSide, 2 * Math.round(pixels / 2));
