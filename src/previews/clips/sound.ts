// The sound of any file, or a tone in its place, as samples: stereo, interleaved, at one rate.
import type { Frame, SoftwareResampleContext } from 'node-av';
import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { hueOf } from '../base/key.ts';
import type { RenderInput } from '../base/request.ts';
import { decodedFrames, decoderOf, openContainer, soundContainers, streamOf } from './decoder.ts';
import { type Av, loadAv } from './library.ts';
import type { Span } from './open.ts';
import { toneAt } from './tone.ts';

/** A part of the sound of a file, in seconds. */
export interface FilePart {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** `pitch` in hertz. */
export interface Tone {
  readonly seconds: number;
  readonly pitch: number;
}

export type Sound = FilePart | Tone;

/** Samples per second and channel of decoded and written sound. */
export const soundRate = 48_000;
export const soundChannels = 2;
/** Sample rates outside these bounds are errors of a file, and would turn a moment into hours. */
const slowestRate = 4000;
const fastestRate = 384_000;
/** Samples of a tone that are made at a time. */
const toneBlock = 4096;

/** True if there is something to hear: a clip without sound has none. */
export function isHeard(av: Av, sound: Sound): boolean {
  if ('pitch' in sound) return sound.seconds > 0;
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

/** The samples up to the sound's end, or up to the end of the file if that comes first. */
export function* samplesOf(av: Av, sound: Sound): Generator<Float32Array> {
  if ('pitch' in sound) return yield* toneSamples(sound);
  const resampler = new av.SoftwareResampleContext();
  resampler.alloc();
  try {
    yield* part(av, resampler, sound);
  } finally {
    resampler.free();
  }
}

function* toneSamples({ seconds, pitch }: Tone): Generator<Float32Array> {
  const count = Math.round(seconds * soundRate) * soundChannels;
  for (let from = 0; from < count; from += toneBlock) {
    const samples = new Float32Array(Math.min(toneBlock, count - from));
    yield samples.map((_, i) => toneAt(Math.floor((from + i) / soundChannels) / soundRate, pitch));
  }
}

function* part(
  av: Av,
  resampler: SoftwareResampleContext,
  { file, start, end }: FilePart,
): Generator<Float32Array> {
  const wanted = Math.round((end - start) * soundRate) * soundChannels;
  let taken = 0;
  let early: number | undefined;
  for (const { frame, seconds } of decodedFrames(av, file, soundContainers, 'audio', start)) {
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
      taken += silence;
      yield new Float32Array(silence);
    }
    const some = samples.subarray(0, Math.max(0, wanted - taken));
    taken += some.length;
    if (some.length > 0) yield some;
    if (taken >= wanted) return;
  }
}

/** Some files (WAV) leave the order of channels open; without one, the resampler rejects a frame. */
function setChannelOrder(av: Av, frame: Frame): void {
  const { order, nbChannels } = frame.channelLayout;
  if (order !== av.AV_CHANNEL_ORDER_UNSPEC) return;
  if (nbChannels === 1) frame.channelLayout = av.AV_CHANNEL_LAYOUT_MONO;
  if (nbChannels === 2) frame.channelLayout = av.AV_CHANNEL_LAYOUT_STEREO;
}

/** The resampled frame. Frames that the resampler cannot take are dropped. */
function resampled(av: Av, resampler: SoftwareResampleContext, frame: Frame): Float32Array {
  const { sampleRate } = frame;
  if (sampleRate < slowestRate || sampleRate > fastestRate) return new Float32Array(0);
  const out = new av.Frame();
  out.alloc();
  try {
    out.format = av.AV_SAMPLE_FMT_FLT;
    out.sampleRate = soundRate;
    out.channelLayout = av.AV_CHANNEL_LAYOUT_STEREO;
    setChannelOrder(av, frame);
    if (resampler.convertFrame(out, frame) < 0 || out.nbSamples === 0) return new Float32Array(0);
    const bytes = out.toBuffer();
    return new Float32Array(Uint8Array.from(bytes).buffer);
  } finally {
    out.free();
  }
}

// A sound that a request names: as long as it lasts, and an error of the project when it cannot be heard.

export interface Voice {
  readonly sound: Sound;
  /** Its length, at most that of the span that was asked for. */
  readonly seconds: number;
}

/** Longer clips are not rendered (see output.ts), so nobody needs more of a sound. */
const maxVoiceSeconds = 600;

/** The part of a sound file between two times; of a sound that is elsewhere, a tone in its place. */
export async function openVoice(
  { file, field, reference }: RenderInput,
  { start, end }: Span,
): Promise<Result<Voice, ProjectError>> {
  const asked = end - start;
  if (file === undefined) return ok({ sound: toneFor(asked, reference), seconds: asked });
  const av = await loadAv();
  // A little more than is rendered, so that what is too long is seen to be.
  const sound = { file, start, end: start + Math.min(asked, maxVoiceSeconds + 1) };
  if (!isHeard(av, sound))
    return invalid(
      `The sound of ${field} (${reference}) cannot be used: it is not a sound that can be decoded`,
    );
  let samples = 0;
  for (const block of samplesOf(av, sound)) samples += block.length;
  const seconds = samples / soundChannels / soundRate;
  if (seconds === 0)
    return invalid(
      `start_seconds is ${start}, and the sound of ${field} (${reference}) ends before that`,
    );
  return ok({ sound, seconds });
}

const invalid = (message: string): Result<never, ProjectError> =>
  err({ code: 'invalid_parameters', message });

/** A tone as long as a clip. Its pitch comes from the key. */
export const toneFor = (seconds: number, key: string): Tone => ({
  seconds,
  pitch: 110 + (hueOf(key) % 110),
});
