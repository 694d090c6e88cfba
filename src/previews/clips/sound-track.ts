// Writes sound into a file: always as long as the pictures, with silence where there is no sound.
import type { FormatContext, Frame } from 'node-av';
import type { Encoding } from './encoding.ts';
import type { Av } from './library.ts';
import { type Sound, samplesOf, soundChannels, soundRate } from './sound.ts';
import { trackOf } from './track.ts';

export interface SoundTrack {
  /** Writes sound up to this time. */
  writeUntil(seconds: number): void;
  end(): void;
  close(): void;
}

/** Bits a second. */
const bitRate = 128_000n;

export function soundTrackOf(
  av: Av,
  format: FormatContext,
  name: Encoding['audio'],
  sound: Sound,
): SoundTrack {
  const isPlanar = name === 'aac';
  const sampleFormat = isPlanar ? av.AV_SAMPLE_FMT_FLTP : av.AV_SAMPLE_FMT_FLT;
  const track = trackOf(av, format, name, { threads: '1', flags: '+bitexact' }, (context) => {
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
    writeUntil(seconds) {
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
    close() {
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
