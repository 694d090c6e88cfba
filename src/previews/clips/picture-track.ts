// Pictures on their way into a file.
import type { FormatContext } from 'node-av';
import type { Picture } from '../pictures/picture.ts';
import type { ClipFormat, Encoding } from './encoding.ts';
import type { Av } from './library.ts';
import { scalerTo } from './scaler.ts';
import { trackOf } from './track.ts';

export interface PictureTrack {
  write(picture: Picture): void;
  end(): void;
  close(): void;
}

export function pictureTrackOf(
  av: Av,
  format: FormatContext,
  { video, videoOptions }: Encoding,
  pace: ClipFormat,
): PictureTrack {
  const { width, height } = pace;
  const rate = rateOf(av, pace.fps);
  const track = trackOf(av, format, video, videoOptions, (context) => {
    context.width = width;
    context.height = height;
    context.timeBase = rate.inv();
    context.framerate = rate;
    context.pixelFormat = av.AV_PIX_FMT_YUV420P;
    context.gopSize = Math.max(1, Math.round(pace.fps * 2));
    context.colorSpace = av.AVCOL_SPC_BT709;
    context.colorPrimaries = av.AVCOL_PRI_BT709;
    context.colorTrc = av.AVCOL_TRC_BT709;
    context.colorRange = av.AVCOL_RANGE_MPEG;
  });
  const scaler = scalerTo(av, { width, height, format: av.AV_PIX_FMT_YUV420P });
  let index = 0;
  return {
    write({ pixels, ...size }) {
      if (size.width !== width || size.height !== height)
        throw new Error(
          `bug: a frame of ${size.width} × ${size.height} in a clip of ${width} × ${height}`,
        );
      const frame = av.Frame.fromVideoBuffer(pixels, { width, height, format: av.AV_PIX_FMT_RGBA });
      try {
        const converted = scaler.scale(frame);
        if (converted === undefined) throw new Error('bug: a picture cannot be converted');
        converted.pts = BigInt(index);
        converted.duration = 1n;
        track.write(converted);
        index += 1;
      } finally {
        frame.free();
      }
    },
    end: () => track.write(undefined),
    close() {
      scaler.close();
      track.close();
    },
  };
}

/** Frames a second as the fraction that is meant: 29.97 is 30000/1001. */
function rateOf(av: Av, fps: number) {
  const ntsc = Math.round(fps * 1.001);
  if (Math.abs(fps - Math.round(fps)) > 1e-3 && Math.abs(fps - ntsc / 1.001) < 5e-3)
    return new av.Rational(ntsc * 1000, 1001);
  return new av.Rational(Math.max(1, Math.round(fps * 1000)), 1000);
}
