// Writes a clip one picture at a time, so memory use does not depend on the length of the clip. The same pictures and
// sound always give the same bytes.
import { extname } from 'node:path';
import type { CodecContext, FFEncoderCodec, FormatContext, Frame, Stream } from 'node-av';
import type { Picture } from '../pictures/picture.ts';
import { type Av, loadAv, must, scalerTo, setOptions } from './library.ts';
import { isHeard, type Sound, samplesOf, soundChannels, soundRate } from './sound.ts';

export interface ClipFormat {
  /** Pixels, even. */
  readonly width: number;
  readonly height: number;
  /** Pictures a second. */
  readonly fps: number;
}

export interface ClipToWrite extends ClipFormat {
  /** Its extension says how it is written: mp4 or webm. */
  readonly file: string;
  /** All of the clip's size. */
  readonly frames: AsyncIterable<Picture>;
  readonly sound?: Sound;
}

/** Returns how many pictures were written. */
export async function writeClip({ file, frames, sound, ...pace }: ClipToWrite): Promise<number> {
  const av = await loadAv();
  const writing = encodingFor(av, file);
  const format = new av.FormatContext();
  const closing: (() => void)[] = [() => format.freeContext()];
  try {
    must(av, format.allocOutputContext2(null, writing.muxer, `file:${file}`), 'prepare a clip');
    format.setFlags(av.AVFMT_FLAG_BITEXACT);
    const pictures = pictureTrackOf(av, format, writing, pace);
    closing.push(() => pictures.close());
    const heard = sound !== undefined && isHeard(av, sound);
    const voice = heard ? soundTrackOf(av, format, writing.audio, sound) : undefined;
    closing.push(() => voice?.close());
    must(av, format.openOutputSync(), 'open a clip');
    closing.push(() => format.closeOutputSync());
    setOptions(av, format, { ...writing.muxerOptions, fflags: '+bitexact' });
    must(av, format.writeHeaderSync(), 'begin a clip');
    let count = 0;
    for await (const picture of frames) {
      pictures.write(picture);
      count += 1;
      voice?.writeUntil(count / pace.fps);
    }
    pictures.end();
    voice?.end();
    must(av, format.writeTrailerSync(), 'finish a clip');
    return count;
  } finally {
    for (const close of closing.reverse()) close();
  }
}

// Pictures on their way into a file.

function pictureTrackOf(
  av: Av,
  format: FormatContext,
  { video, videoOptions }: Encoding,
  { width, height, fps }: ClipFormat,
) {
  const rate = new av.Rational(Math.max(1, Math.round(fps * 1000)), 1000);
  const track = trackOf(av, format, video, videoOptions, (context) => {
    context.width = width;
    context.height = height;
    context.timeBase = rate.inv();
    context.framerate = rate;
    context.pixelFormat = av.AV_PIX_FMT_YUV420P;
    context.gopSize = Math.max(1, Math.round(fps * 2));
    context.colorSpace = av.AVCOL_SPC_BT709;
    context.colorPrimaries = av.AVCOL_PRI_BT709;
    context.colorTrc = av.AVCOL_TRC_BT709;
    context.colorRange = av.AVCOL_RANGE_MPEG;
  });
  const scaler = scalerTo(av, { width, height }, av.AV_PIX_FMT_YUV420P);
  let index = 0;
  return {
    write({ pixels, ...size }: Picture): void {
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
    close(): void {
      scaler.close();
      track.close();
    },
  };
}

// Writes sound into a file: always as long as the pictures, with silence where there is no sound.

/** Bits a second. */
const bitRate = 128_000n;

function soundTrackOf(av: Av, format: FormatContext, name: FFEncoderCodec, sound: Sound) {
  const isPlanar = name === av.FF_ENCODER_AAC;
  const sampleFormat = isPlanar ? av.AV_SAMPLE_FMT_FLTP : av.AV_SAMPLE_FMT_FLT;
  const track = trackOf(av, format, name, {}, (context) => {
    context.sampleRate = soundRate;
    context.sampleFormat = sampleFormat;
    context.channelLayout = av.AV_CHANNEL_LAYOUT_STEREO;
    context.bitRate = bitRate;
    context.timeBase = new av.Rational(1, soundRate);
  });
  const size = track.context.frameSize;
  const blocks = samplesOf(av, sound);
  const waiting = new Float32Array(size * soundChannels);
  let rest = new Float32Array(0);
  let written = 0;

  /** Fills `waiting` with what comes next, then with silence. */
  const fill = (): void => {
    let filled = 0;
    while (filled < waiting.length) {
      if (rest.length === 0) {
        const next = blocks.next();
        if (next.done) break;
        rest = Float32Array.from(next.value);
      }
      const some = rest.subarray(0, waiting.length - filled);
      waiting.set(some, filled);
      filled += some.length;
      rest = rest.subarray(some.length);
    }
    waiting.fill(0, filled);
  };

  const frameOf = (): Frame => {
    const samples = isPlanar ? planes(waiting) : waiting;
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    return av.Frame.fromAudioBuffer(bytes, {
      nbSamples: size,
      format: sampleFormat,
      sampleRate: soundRate,
      channelLayout: av.AV_CHANNEL_LAYOUT_STEREO,
      pts: BigInt(written),
      timeBase: track.context.timeBase,
    });
  };

  return {
    writeUntil(seconds: number): void {
      while (written < seconds * soundRate) {
        fill();
        const frame = frameOf();
        try {
          track.write(frame);
        } finally {
          frame.free();
        }
        written += size;
      }
    },
    end: () => track.write(undefined),
    close(): void {
      blocks.return(undefined);
      track.close();
    },
  };
}

/** All samples of the left, then all of the right. */
function planes(samples: Float32Array): Float32Array {
  const length = samples.length / soundChannels;
  return samples.map((_, i) => samples[(i % length) * soundChannels + Math.floor(i / length)] ?? 0);
}

// One stream of a file that is being written: frames go in, packets go into the file.

/** Opens an encoder that `configure` has given its format, and a stream for it. */
function trackOf(
  av: Av,
  format: FormatContext,
  name: FFEncoderCodec,
  options: Readonly<Record<string, string>>,
  configure: (context: CodecContext) => void,
) {
  const codec = av.Codec.findEncoderByName(name);
  if (codec === null) throw new Error(`the video library has no ${name}`);
  const context = new av.CodecContext();
  context.allocContext3(codec);
  configure(context);
  if (format.oformat?.hasFlags(av.AVFMT_GLOBALHEADER))
    context.setFlags(av.AV_CODEC_FLAG_GLOBAL_HEADER);
  setOptions(av, context, { ...options, threads: '1', flags: '+bitexact' });
  must(av, context.open2Sync(codec), `open ${name}`);
  const stream: Stream = format.newStream(null);
  must(av, stream.codecpar.fromContext(context), `describe ${name}`);
  stream.timeBase = context.timeBase;
  if (context.framerate.num > 0) stream.avgFrameRate = context.framerate;
  const packet = new av.Packet();
  packet.alloc();
  return {
    context,
    /** Undefined: there are no more. */
    write(frame: Frame | undefined): void {
      must(av, context.sendFrameSync(frame ?? null), `encode with ${name}`);
      while (context.receivePacketSync(packet) >= 0) {
        packet.streamIndex = stream.index;
        packet.rescaleTs(context.timeBase, stream.timeBase);
        must(av, format.interleavedWriteFrameSync(packet), 'write a packet');
      }
    },
    close(): void {
      packet.free();
      context.freeContext();
    },
  };
}

// How a file with a given extension is encoded. The settings give the same bytes on a busy machine as on an idle one: one
// thread, no look ahead (x264's runs on a thread of its own, and what it has found when a frame is written depends on the
// load), and no encoder that watches the clock.

interface Encoding {
  readonly muxer: string;
  readonly muxerOptions: Readonly<Record<string, string>>;
  readonly video: FFEncoderCodec;
  readonly videoOptions: Readonly<Record<string, string>>;
  readonly audio: FFEncoderCodec;
}

function encodingFor(av: Av, file: string): Encoding {
  const extension = extname(file);
  if (extension === '.mp4')
    return {
      muxer: 'mp4',
      muxerOptions: { movflags: '+faststart' },
      video: av.FF_ENCODER_LIBX264,
      videoOptions: {
        preset: 'veryfast',
        crf: '20',
        'x264-params':
          'threads=1:lookahead-threads=1:no-mbtree=1:rc-lookahead=0:sync-lookahead=0:bframes=0',
      },
      audio: av.FF_ENCODER_AAC,
    };
  if (extension === '.webm')
    return {
      muxer: 'webm',
      muxerOptions: {},
      video: av.FF_ENCODER_LIBVPX_VP8,
      // Not realtime: its speed follows the clock.
      videoOptions: {
        deadline: 'good',
        'cpu-used': '5',
        'lag-in-frames': '0',
        crf: '16',
        b: '2000000',
      },
      audio: av.FF_ENCODER_LIBOPUS,
    };
  throw new Error(`bug: no way to write ${file}`);
}
