// A part of a clip as pictures of one size at one rate. Frames that are not needed are decoded but not converted.
import type { Frame } from 'node-av';
import { reserveDecodeMemory } from '../base/decode-memory.ts';
import { black, copyOf, filled } from '../pictures/canvas.ts';
import type { Picture, Size } from '../pictures/picture.ts';
import { clipContainers, decodedFrames } from './decoder.ts';
import { type Av, scalerTo } from './library.ts';

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
  /** False where a frame depends on all frames before it. */
  readonly seekable: boolean;
  /** The most memory that its decoder takes. */
  readonly bytes: number;
}

/** Timestamps are rounded, in WebM to milliseconds: a frame may be late by this share of a frame. */
const tolerance = 0.25;

/** How many pictures a sampling has. */
export const frameCountOf = ({
  start,
  end,
  fps,
}: Pick<FrameSampling, 'start' | 'end' | 'fps'>): number =>
  Math.max(1, Math.round((end - start) * fps));

/** Copies of one picture, as many as the sampling has. */
export function* repeated(picture: Picture, sampling: FrameSampling): Generator<Picture> {
  for (let made = 0; made < frameCountOf(sampling); made++) yield copyOf(picture);
}

export async function* sampleFrames(
  av: Av,
  source: Source,
  sampling: FrameSampling,
): AsyncGenerator<Picture> {
  const reserved = await reserveDecodeMemory(source.bytes);
  if (!reserved.ok) throw new Error('bug: a clip was opened that can never be decoded');
  const count = frameCountOf(sampling);
  const seeks = source.seekable && sampling.start > 0;
  let made = 0;
  try {
    for (const begin of seeks ? [sampling.start, 0] : [0]) {
      for await (const picture of decodedPictures(av, source, sampling, begin, count)) {
        made += 1;
        yield picture;
      }
      // Seeking into a broken file may leave nothing to decode: then the file is decoded from its start.
      if (made > 0) break;
    }
  } finally {
    reserved.value();
  }
  for (; made < count; made++) yield filled(sampling, black);
}

/** Up to `count` pictures, the last one repeated beyond the file's end; none if nothing can be decoded. */
function* decodedPictures(
  av: Av,
  source: Source,
  sampling: FrameSampling,
  begin: number,
  count: number,
): Generator<Picture> {
  const { file, from } = source;
  const held = new av.Frame();
  held.alloc();
  const scaler = pictureScaler(av, sampling, source.turns);
  let picture = filled(sampling, black);
  try {
    let made = 0;
    let holding = false;
    let time = from;
    const start = begin > 0 ? begin + from : 0;
    for (const { frame, seconds } of decodedFrames(av, file, clipContainers, 'video', start)) {
      time = seconds ?? time + 1 / source.fps;
      const shownUntil = time - from - sampling.start - tolerance / sampling.fps;
      if (holding && made / sampling.fps < shownUntil) {
        picture = scaler.picture(held) ?? picture;
        for (; made < count && made / sampling.fps < shownUntil; made++) yield copyOf(picture);
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
  }
}

/** Turns decoded frames of any size and pixel format into pictures of one size. */
export function pictureScaler(av: Av, { width, height }: Size, turns: Turns) {
  const size = turns % 2 === 1 ? { width: height, height: width } : { width, height };
  const scaler = scalerTo(av, size, av.AV_PIX_FMT_RGBA);
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

// How a clip is to be held: cameras write pictures as their sensor lies, and beside them how to turn them.

/** Quarter turns clockwise. */
type Turns = 0 | 1 | 2 | 3;

/** From a display matrix: nine 32-bit numbers, the first two of which are the turn's cosine and sine. */
export function turnsOf(matrix: Buffer | null): Turns {
  if (matrix === null || matrix.length < 8) return 0;
  const [cosine, sine] = [matrix.readInt32LE(0), matrix.readInt32LE(4)];
  const turns = ((Math.round((Math.atan2(sine, cosine) * 2) / Math.PI) % 4) + 4) % 4;
  return turns === 1 || turns === 2 || turns === 3 ? turns : 0;
}

function turned(picture: Picture, turns: Turns): Picture {
  if (turns === 0) return picture;
  const { width, height } = picture;
  // A pixel is one number; a copy is aligned to four bytes.
  const from = new Uint32Array(Uint8Array.from(picture.pixels).buffer);
  const across = turns === 2 ? width : height;
  const to = new Uint32Array(from.length);
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i++) {
      if (turns === 2) to[from.length - 1 - i] = from[i] ?? 0;
      else if (turns === 1) to[x * across + (height - 1 - y)] = from[i] ?? 0;
      else to[(width - 1 - x) * across + y] = from[i] ?? 0;
    }
  return {
    pixels: Buffer.from(to.buffer),
    width: across,
    height: turns === 2 ? height : width,
  };
}
