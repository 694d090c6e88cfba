// The clip that a tool changes: opened, cut to what is asked for, and closed however the rendering ends.
import { clipOf } from '../../contract/api/clip.ts';
import { numberIn, textIn } from '../base/fields.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import type { Picture, Size } from '../pictures/picture.ts';
import { type Clip, openClip, partOf, type Span } from './open.ts';
import { renderPictures, sizeWith, sizeWithin } from './output.ts';
import type { Sound } from './sound.ts';

/** Frames a second of what is made of a clip, at most. */
const maxFps = 30;

export interface SourceClip {
  readonly clip: Clip;
  readonly span: Span;
  readonly seconds: number;
  readonly size: Size;
  readonly fps: number;
  /** The clip's own sound, where it has one. */
  readonly sound: Sound | undefined;
}

/** Hands a request's clip to `make`. `side`: pixels of the shorter side, at most; of a named resolution, just so many. */
export async function withClip(
  request: RenderRequest,
  side: number,
  make: (source: SourceClip) => Promise<RenderOutcome>,
): Promise<RenderOutcome> {
  const input = sourceIn(request);
  const opened = await openClip(input);
  if (!opened.ok) return opened;
  const clip = opened.value;
  try {
    const part = partOf(clip, clipOf(request.body), input);
    if (!part.ok) return part;
    const span = part.value;
    const { width, height, fps, hasSound } = clip.facts;
    // A resolution is what the output has; without one nothing is enlarged.
    const sized = textIn(request, 'resolution') === '' ? sizeWithin : sizeWith;
    return await make({
      clip,
      span,
      seconds: span.end - span.start,
      size: sized(width, height, Math.min(side, askedSide(request)), request.longest),
      fps: Math.min(fps, maxFps),
      sound: hasSound && clip.file !== undefined ? { file: clip.file, ...span } : undefined,
    });
  } finally {
    await clip.close();
  }
}

/** A clip from a link is like one that is elsewhere: it is not fetched. */
function sourceIn(request: RenderRequest): RenderInput {
  const linked = textIn(request, 'assets.video_source') === 'youtube';
  const input = linked ? undefined : request.inputs.find(({ media }) => media === 'video');
  if (input !== undefined) return input;
  const field = 'assets.video_file_path';
  const reference = textIn(request, 'assets.youtube_url') || 'no clip';
  return { field, media: 'video', file: undefined, reference, face: undefined, faces: [] };
}

/** `width` and `height` are bounds; the clip keeps its proportions. */
function askedSide(request: RenderRequest): number {
  const asked = [numberIn(request, 'width'), numberIn(request, 'height')];
  return Math.min(
    ...asked.map((pixels) => (pixels === undefined || pixels <= 0 ? Infinity : pixels)),
  );
}

/** The clip with each of its frames painted on, and the sound. */
export function renderChanged(
  request: RenderRequest,
  source: SourceClip,
  fps: number,
  change: (frame: Picture, time: number) => void,
): Promise<RenderOutcome> {
  const { size, seconds, sound } = source;
  async function* changed(): AsyncGenerator<Picture> {
    let index = 0;
    for await (const frame of framesOf(source, fps)) {
      change(frame, index / fps);
      index += 1;
      yield frame;
    }
  }
  return renderPictures(request, { ...size, fps, seconds }, changed(), sound);
}

/** The frames of the source at a rate. */
export const framesOf = ({ clip, span, size }: SourceClip, fps: number): AsyncGenerator<Picture> =>
  clip.frames({ ...span, ...size, fps });
