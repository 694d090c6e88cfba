// Scales frames to one size and converts them to one pixel format.
import type { AVPixelFormat, Frame } from 'node-av';
import type { Size } from '../pictures/picture.ts';
import { type Av, must } from './library.ts';

export interface Scaler {
  /** Valid until the next call; undefined: the frame is of a kind that cannot be converted. */
  scale(frame: Frame): Frame | undefined;
  close(): void;
}

export function scalerTo(
  av: Av,
  { width, height, format }: Size & { readonly format: AVPixelFormat },
): Scaler {
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
