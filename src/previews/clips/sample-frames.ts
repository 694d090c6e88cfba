// A part of a clip as pictures of one size at one rate. Frames that are not shown are decoded but not converted.
import type { Frame } from 'node-av';
import { reserveDecodeMemory } from '../base/decode-memory.ts';
import { black, copyOf, filled } from '../pictures/canvas.ts';
import type { Picture, Size } from '../pictures/picture.ts';
import { type Container, clipContainers, openContainer, seekTo, streamOf } from './container.ts';
import { decoderOf, framesOf } from './decoder.ts';
import type { Av } from './library.ts';
import { type Turns, turned } from './rotation.ts';
import { scalerTo } from './scaler.ts';

export interface FrameSampling {
  /** Seconds from the clip's beginning. */
  readonly start: number;
  readonly end: number;
  /** Pixels of the pictures; the caller keeps the proportions. */
  readonly width: number;
  readonly height: number;
  /** Pictures a second. */
  readonly fps: number;
}

export interface Source {
  readonly file: string;
  /** The file's own time of the first frame, in seconds. */
  readonly from: number;
  readonly turns: Turns;
  readonly fps: number;
  /** False where a frame is nothing without all that came before. */
  readonly seekable: boolean;
  /** What its decoder holds at most. */
  readonly bytes: number;
}

/** Timestamps are rounded, to milliseconds in webm: a frame this little late, in parts of a frame, is in time. */
const tolerance = 0.25;

/** How many pictures a cut is. */
export const frameCountOf = ({
  start,
  end,
  fps,
}: Pick<FrameSampling, 'start' | 'end' | 'fps'>): number =>
  Math.max(1, Math.round((end - start) * fps));

/** One picture for the whole of a cut. */
export function* repeated(picture: Picture, cut: FrameSampling): Generator<Picture> {
  for (let made = 0; made < frameCountOf(cut); made++) yield copyOf(picture);
}

export async function* sampleFrames(
  av: Av,
  source: Source,
  cut: FrameSampling,
): AsyncGenerator<Picture> {
  const reserved = await reserveDecodeMemory(source.bytes);
  if (!reserved.ok) throw new Error('bug: a clip was opened that can never be decoded');
  const count = frameCountOf(cut);
  const seeks = source.seekable && cut.start > 0;
  let made = 0;
  try {
    for (const begin of seeks ? [cut.start, 0] : [0]) {
      for await (const picture of decodedPictures(av, source, cut, begin, count)) {
        made += 1;
        yield picture;
      }
      // Seeking into a broken file may leave nothing to decode: then all of it is gone through.
      if (made > 0) break;
    }
  } finally {
    reserved.value();
  }
  for (; made < count; made++) yield filled(cut, black);
}

/** Up to `count` pictures, fewer where the file ends sooner: none at all only when nothing could be decoded. */
function* decodedPictures(
  av: Av,
  source: Source,
  cut: FrameSampling,
  begin: number,
  count: number,
): Generator<Picture> {
  const container = openContainer(av, source.file, clipContainers);
  if (container === undefined) return;
  const held = new av.Frame();
  held.alloc();
  const scaler = pictureScaler(av, cut, source.turns);
  let picture = filled(cut, black);
  try {
    let made = 0;
    let holding = false;
    let time = source.from;
    for (const { frame, seconds } of decodedFrom(av, container, source, begin)) {
      time = seconds ?? time + 1 / source.fps;
      const shownUntil = time - source.from - cut.start - tolerance / cut.fps;
      if (holding && made / cut.fps < shownUntil) {
        picture = scaler.picture(held) ?? picture;
        for (; made < count && made / cut.fps < shownUntil; made++) yield copyOf(picture);
      }
      if (made >= count) return;
      held.unref();
      holding = held.ref(frame) >= 0;
    }
    if (!holding) return;
    picture = scaler.picture(held) ?? picture;
    for (; made < count; made++) yield copyOf(picture);
  } finally {
    scaler.close();
    held.free();
    container.close();
  }
}

function* decodedFrom(av: Av, container: Container, source: Source, begin: number) {
  const stream = streamOf(av, container, 'video');
  const decoder = stream === undefined ? undefined : decoderOf(av, stream);
  if (stream === undefined || decoder === undefined) return;
  try {
    if (begin > 0) seekTo(av, container, stream, begin + source.from);
    yield* framesOf(av, container, stream, decoder);
  } finally {
    decoder.freeContext();
  }
}

/** Turns decoded frames of any size and pixel format into pictures of one size. */
export function pictureScaler(av: Av, { width, height }: Size, turns: Turns) {
  const isLying = turns % 2 === 1;
  const scaler = scalerTo(av, {
    width: isLying ? height : width,
    height: isLying ? width : height,
    format: av.AV_PIX_FMT_RGBA,
  });
  return {
    /** Undefined: a broken file made a frame of an unknown kind. */
    picture(frame: Frame): Picture | undefined {
      const scaled = scaler.scale(frame);
      if (scaled === undefined) return undefined;
      const { width, height } = scaled;
      return turned({ pixels: scaled.toBuffer(), width, height }, turns);
    },
    close: scaler.close,
  };
}
