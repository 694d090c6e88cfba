// One stream of a file that is being written: frames go in, packets go into the file.
import type { CodecContext, FormatContext, Frame, Stream } from 'node-av';
import { type Av, must, setOptions } from './library.ts';

const encodersOf = (av: Av) => ({
  libx264: av.FF_ENCODER_LIBX264,
  libvpx: av.FF_ENCODER_LIBVPX_VP8,
  aac: av.FF_ENCODER_AAC,
  libopus: av.FF_ENCODER_LIBOPUS,
});

export type EncoderName = keyof ReturnType<typeof encodersOf>;

export interface Track {
  readonly context: CodecContext;
  /** Undefined: there are no more. */
  write(frame: Frame | undefined): void;
  close(): void;
}

/** Opens an encoder that `configure` has given its format, and a stream for it. */
export function trackOf(
  av: Av,
  format: FormatContext,
  name: EncoderName,
  options: Readonly<Record<string, string>>,
  configure: (context: CodecContext) => void,
): Track {
  const codec = av.Codec.findEncoderByName(encodersOf(av)[name]);
  if (codec === null) throw new Error(`the video library has no ${name}`);
  const context = new av.CodecContext();
  context.allocContext3(codec);
  configure(context);
  if (format.oformat?.hasFlags(av.AVFMT_GLOBALHEADER))
    context.setFlags(av.AV_CODEC_FLAG_GLOBAL_HEADER);
  setOptions(av, context, options);
  must(av, context.open2Sync(codec), `open ${name}`);
  const stream: Stream = format.newStream(null);
  must(av, stream.codecpar.fromContext(context), `describe ${name}`);
  stream.timeBase = context.timeBase;
  if (context.framerate.num > 0) stream.avgFrameRate = context.framerate;
  const packet = new av.Packet();
  packet.alloc();
  return {
    context,
    write(frame) {
      must(av, context.sendFrameSync(frame ?? null), `encode with ${name}`);
      while (context.receivePacketSync(packet) >= 0) {
        packet.streamIndex = stream.index;
        packet.rescaleTs(context.timeBase, stream.timeBase);
        must(av, format.interleavedWriteFrameSync(packet), 'write a packet');
      }
    },
    close() {
      packet.free();
      context.freeContext();
    },
  };
}
