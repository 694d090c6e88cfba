// The sound of any file as samples: stereo, interleaved, at one rate.
import type { Frame, SoftwareResampleContext } from 'node-av';
import { openContainer, soundContainers, streamOf } from './container.ts';
import { decodedFrames, decoderOf } from './decoder.ts';
import type { Av } from './library.ts';

/** A part of the sound of a file, in seconds. */
export interface FilePart {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** Part of a file, or one channel in memory. */
export type Sound = FilePart | { readonly rate: number; readonly samples: Float32Array };

/** Samples per second and channel of decoded and written sound. */
export const soundRate = 48_000;
export const soundChannels = 2;
/** Sample rates outside these bounds are errors of a file, and would turn a moment into hours. */
const slowestRate = 4000;
const fastestRate = 384_000;
/** Samples in memory are resampled in blocks of this length. */
const block = 4096;

/** True if there is something to hear: a clip without sound has none. */
export function isHeard(av: Av, sound: Sound): boolean {
  if ('samples' in sound) return sound.samples.length > 0;
  const container = openContainer(av, sound.file, soundContainers);
  if (container === undefined) return false;
  try {
    const stream = streamOf(av, container, 'audio');
    const decoder = stream && decoderOf(av, stream);
    decoder?.freeContext();
    return decoder !== undefined;
  } finally {
    container.close();
  }
}

/** The samples up to the part's end, or up to the end of the file if that comes first. */
export function* samplesOf(av: Av, sound: Sound): Generator<Float32Array> {
  const resampler = new av.SoftwareResampleContext();
  resampler.alloc();
  try {
    if ('samples' in sound) {
      for (const frame of voiceFrames(av, sound)) yield resampled(av, resampler, frame);
      yield resampled(av, resampler, null);
    } else yield* part(av, resampler, sound);
  } finally {
    resampler.free();
  }
}

function* voiceFrames(
  av: Av,
  { rate, samples }: Extract<Sound, { readonly samples: unknown }>,
): Generator<Frame> {
  for (let from = 0; from < samples.length; from += block) {
    const some = samples.slice(from, from + block);
    const frame = av.Frame.fromAudioBuffer(Buffer.from(some.buffer), {
      nbSamples: some.length,
      format: av.AV_SAMPLE_FMT_FLT,
      sampleRate: rate,
      channelLayout: av.AV_CHANNEL_LAYOUT_MONO,
    });
    try {
      yield frame;
    } finally {
      frame.free();
    }
  }
}

function* part(
  av: Av,
  resampler: SoftwareResampleContext,
  { file, start, end }: FilePart,
): Generator<Float32Array> {
  const wanted = Math.round((end - start) * soundRate) * soundChannels;
  let given = 0;
  let early: number | undefined;
  for (const { frame, seconds } of decodedFrames(
    av,
    { file, containers: soundContainers },
    'audio',
    start,
  )) {
    // Samples of the file before the part begins; below zero, silence before the file begins.
    early ??= Math.round((start - (seconds ?? start)) * soundRate) * soundChannels;
    let samples = resampled(av, resampler, frame);
    if (early > 0) {
      const left = samples.subarray(Math.min(early, samples.length));
      early -= samples.length - left.length;
      samples = left;
    } else if (early < 0) {
      const silence = Math.min(-early, wanted);
      early = 0;
      given += silence;
      yield new Float32Array(silence);
    }
    const some = samples.subarray(0, Math.max(0, wanted - given));
    given += some.length;
    if (some.length > 0) yield some;
    if (given >= wanted) return;
  }
}

/** Some files (WAV) leave the order of channels open; without one, the resampler rejects a frame. */
function setChannelOrder(av: Av, frame: Frame): void {
  const { order, nbChannels } = frame.channelLayout;
  if (order !== av.AV_CHANNEL_ORDER_UNSPEC) return;
  if (nbChannels === 1) frame.channelLayout = av.AV_CHANNEL_LAYOUT_MONO;
  if (nbChannels === 2) frame.channelLayout = av.AV_CHANNEL_LAYOUT_STEREO;
}

/** The resampled frame; without a frame, the rest that the resampler holds. Frames that it cannot take are dropped. */
function resampled(av: Av, resampler: SoftwareResampleContext, frame: Frame | null): Float32Array {
  const rate = frame?.sampleRate ?? soundRate;
  if (rate < slowestRate || rate > fastestRate) return new Float32Array(0);
  const out = new av.Frame();
  out.alloc();
  try {
    out.format = av.AV_SAMPLE_FMT_FLT;
    out.sampleRate = soundRate;
    out.channelLayout = av.AV_CHANNEL_LAYOUT_STEREO;
    if (frame !== null) setChannelOrder(av, frame);
    if (resampler.convertFrame(out, frame) < 0 || out.nbSamples === 0) return new Float32Array(0);
    const bytes = out.toBuffer();
    return new Float32Array(Uint8Array.from(bytes).buffer);
  } finally {
    out.free();
  }
}
