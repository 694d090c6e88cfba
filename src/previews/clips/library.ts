// The video library, loaded when the first clip comes: it is large, and optional. And what both reading and writing do with it.
import type { AVPixelFormat, CodecContext, FormatContext, Frame } from 'node-av';
import type { Size } from '../pictures/picture.ts';

export type Av = typeof import('node-av');

export async function loadAv(): Promise<Av> {
  const av = await import('node-av');
  // What a broken clip makes it say is no news to anybody.
  av.Log.setLevel(av.AV_LOG_QUIET);
  return av;
}

/** An error of a native call, as an exception: the disk is full, or we have a bug. */
export function must(av: Av, code: number, doing: string): void {
  av.FFmpegError.throwIfError(code, doing);
}

/**
 * Sets what an encoder, a decoder or a file is opened with. Not by a Dictionary where it is opened: the library
 * frees that one twice.
 */
export function setOptions(
  av: Av,
  context: CodecContext | FormatContext,
  options: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(options))
    must(
      av,
      av.Option.set(context.getNative(), name, value, av.AV_OPT_SEARCH_CHILDREN),
      `set ${name} to ${value}`,
    );
}

/** Scales frames to one size and converts them to one pixel format. */
export interface Scaler {
  /** Valid until the next call; undefined: the frame is of a kind that cannot be converted. */
  scale(frame: Frame): Frame | undefined;
  close(): void;
}

export function scalerTo(av: Av, { width, height }: Size, format: AVPixelFormat): Scaler {
  const context = new av.SoftwareScaleContext();
  context.allocContext();
  const target = new av.Frame();
  target.alloc();
  target.format = format;
  target.width = width;
  target.height = height;
  if (format !== av.AV_PIX_FMT_RGBA) {
    target.colorSpace = av.AVCOL_SPC_BT709;
    target.colorRange = av.AVCOL_RANGE_MPEG;
  }
  must(av, target.getBuffer(), 'make room for a frame');
  return {
    scale(frame) {
      must(av, target.makeWritable(), 'make room for a frame');
      return context.scaleFrameSync(target, frame) < 0 ? undefined : target;
    },
    close() {
      target.free();
      context.freeContext();
    },
  };
}
