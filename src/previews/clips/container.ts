// An opened media file: its streams and its packets. The files are strangers': only the containers that the service
// takes are tried, by their content, and nothing in one can make another file or address be opened.
import type { FormatContext, Packet, Stream } from 'node-av';
import type { Av } from './library.ts';

/** facts.md, Uploads: mp4 m4v mov webm, and gif where a face-swap takes one. Demuxers that never open a second file. */
export const clipContainers = 'mov,matroska,gif';
/** The same, and what sound comes in: mp3 wav aac aiff flac ogg. */
export const soundContainers = `${clipContainers},mp3,wav,aac,aiff,flac,ogg`;

/** Streams beyond these are not clips that people have. */
const mostStreams = 64;
/** Errors in a row after which a file is taken to be at its end. */
const mostErrors = 64;

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
    max_streams: mostStreams,
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
    while (errors < mostErrors) {
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
export function seekTo(av: Av, { format }: Container, stream: Stream, seconds: number): void {
  const time = Math.floor(seconds / stream.timeBase.toDouble());
  if (Number.isFinite(time))
    format.seekFrameSync(stream.index, BigInt(time), av.AVSEEK_FLAG_BACKWARD);
}
