// Decodes the frames of a stream, in the order in which they are shown. Broken packets are skipped, as players do.
import type { CodecContext, Frame, Stream } from 'node-av';
import {
  type Container,
  openContainer,
  packetsOf,
  secondsOf,
  seekTo,
  streamOf,
} from './container.ts';
import { type Av, setOptions } from './library.ts';

/** 4096 × 2304: a little more than what 4K cameras make. */
export const mostPixels = 9_437_184;

/** The usual codecs of these containers. No other decoder gets bytes from strangers. */
const decoders: ReadonlySet<string> = new Set([
  ...['h264', 'hevc', 'vp8', 'vp9', 'libdav1d', 'mpeg4', 'mjpeg', 'prores', 'gif', 'mpeg2video'],
  ...['aac', 'mp3', 'mp3float', 'opus', 'libopus', 'vorbis', 'flac', 'alac', 'ac3'],
  ...['pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be'],
  ...['pcm_u8', 'pcm_s8', 'pcm_f32le', 'pcm_f32be', 'pcm_alaw', 'pcm_mulaw'],
]);

/** Undefined: no decoder is allowed for this stream. The caller frees the decoder. */
export function decoderOf(av: Av, stream: Stream): CodecContext | undefined {
  const codec = av.Codec.findDecoder(stream.codecpar.codecId);
  if (codec?.name == null || !decoders.has(codec.name)) return undefined;
  const context = new av.CodecContext();
  context.allocContext3(codec);
  if (context.parametersToContext(stream.codecpar) >= 0) {
    context.pktTimebase = stream.timeBase;
    setOptions(av, context, { max_pixels: `${mostPixels}`, threads: '1' });
    if (context.open2Sync(codec) >= 0) return context;
  }
  context.freeContext();
  return undefined;
}

export interface DecodedFrame {
  /** Valid until the next frame is requested. */
  readonly frame: Frame;
  /** When it is shown, on the file's own clock; undefined if the file does not say. */
  readonly seconds: number | undefined;
}

/** The frames from where the container stands to its end. */
export function* framesOf(
  av: Av,
  container: Container,
  stream: Stream,
  decoder: CodecContext,
): Generator<DecodedFrame> {
  const frame = new av.Frame();
  frame.alloc();
  function* received(): Generator<DecodedFrame> {
    while (decoder.receiveFrameSync(frame) >= 0) {
      yield { frame, seconds: secondsOf(av, frame.bestEffortTimestamp, stream) };
      frame.unref();
    }
  }
  try {
    for (const packet of packetsOf(av, container, stream))
      if (decoder.sendPacketSync(packet) >= 0) yield* received();
    decoder.sendPacketSync(null);
    yield* received();
  } finally {
    frame.free();
  }
}

/** The frames of the first stream of a type, from a time of the file's own clock on; none if nothing can be decoded. */
export function* decodedFrames(
  av: Av,
  { file, containers }: { readonly file: string; readonly containers: string },
  type: 'video' | 'audio',
  from: number,
): Generator<DecodedFrame> {
  const container = openContainer(av, file, containers);
  const stream = container && streamOf(av, container, type);
  const decoder = stream && decoderOf(av, stream);
  try {
    if (container === undefined || stream === undefined || decoder === undefined) return;
    if (from > 0) seekTo(av, container, stream, from);
    yield* framesOf(av, container, stream, decoder);
  } finally {
    decoder?.freeContext();
    container?.close();
  }
}
