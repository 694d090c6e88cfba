// Decodes the streams of media files in the order in which they are shown, with broken places skipped, as players do. The
// files are strangers': only the containers and codecs that the service takes are tried, by their content, and nothing in
// one can make another file or address be opened.
import type { CodecContext, FormatContext, Frame, Packet, Stream } from 'node-av';
import { type Av, setOptions } from './library.ts';

/** facts.md, Uploads: mp4 m4v mov webm, and gif where a face-swap takes one. Demuxers that never open a second file. */
export const clipContainers = 'mov,matroska,gif';
/** The same, and what sound comes in: mp3 wav aac aiff flac ogg. */
export const soundContainers = `${clipContainers},mp3,wav,aac,aiff,flac,ogg`;

/** Streams beyond these are not clips that people have. */
const maxStreams = 64;
/** Errors in a row after which a file is taken to be at its end. */
const maxErrors = 64;

export interface Container {
  readonly format: FormatContext;
  readonly streams: readonly Stream[];
  close(): void;
}

/** Undefined: it is none of these containers, or its header is broken. */
export function openContainer(av: Av, file: string, containers: string): Container | undefined {
  const format = new av.FormatContext();
  const options = av.Dictionary.fromObject({
    format_whitelist: containers,
    protocol_whitelist: 'file',
    max_streams: maxStreams,
  });
  try {
    format.allocContext();
    // The prefix keeps a name with a colon from being read as a protocol.
    if (format.openInputSync(`file:${file}`, null, options) < 0) return undefined;
    return { format, streams: format.streams, close: () => format.closeInputSync() };
  } finally {
    options.free();
  }
}

/** The packets of one stream up to the file's end, broken places left out. Each is valid until the next is asked for. */
export function* packetsOf(av: Av, { format }: Container, stream: Stream): Generator<Packet> {
  const packet = new av.Packet();
  packet.alloc();
  let errors = 0;
  try {
    while (errors < maxErrors) {
      const code = format.readFrameSync(packet);
      if (code === av.AVERROR_EOF) return;
      errors = code < 0 ? errors + 1 : 0;
      if (code >= 0 && packet.streamIndex === stream.index) yield packet;
      packet.unref();
    }
  } finally {
    packet.free();
  }
}

/** The first stream of a type, other than cover pictures. */
export function streamOf(
  av: Av,
  { streams }: Container,
  type: 'video' | 'audio',
): Stream | undefined {
  const wanted = type === 'video' ? av.AVMEDIA_TYPE_VIDEO : av.AVMEDIA_TYPE_AUDIO;
  const found = streams.find(
    (stream) =>
      stream.codecpar.codecType === wanted &&
      !stream.hasDisposition(av.AV_DISPOSITION_ATTACHED_PIC),
  );
  for (const stream of streams) if (stream !== found) stream.discard = av.AVDISCARD_ALL;
  return found;
}

/** A time of a stream in seconds; undefined where the file does not say. */
export function secondsOf(av: Av, time: bigint, { timeBase }: Stream): number | undefined {
  if (time === av.AV_NOPTS_VALUE) return undefined;
  const seconds = Number(time) * timeBase.toDouble();
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** Goes to the last place before a time of the file's own clock from which can be decoded, where the file knows it. */
function seekTo(av: Av, { format }: Container, stream: Stream, seconds: number): void {
  const time = Math.floor(seconds / stream.timeBase.toDouble());
  if (Number.isFinite(time))
    format.seekFrameSync(stream.index, BigInt(time), av.AVSEEK_FLAG_BACKWARD);
}

/** 4096 × 2304: a little more than what 4K cameras make. */
export const maxPixels = 9_437_184;

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
    setOptions(av, context, { max_pixels: `${maxPixels}`, threads: '1' });
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
  file: string,
  containers: string,
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
