// Opens an input clip: reads its properties, and its frames at the size and rate that a tool needs. Native memory is
// allocated only while frames are being read.

import type { Stream } from 'node-av';
import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { whileReserved } from '../base/decode-memory.ts';
import type { RenderInput } from '../base/request.ts';
import { notFetched, placeholder } from '../pictures/card.ts';
import type { Picture } from '../pictures/picture.ts';
import {
  type Container,
  clipContainers,
  decoderOf,
  framesOf,
  maxPixels,
  openContainer,
  packetsOf,
  secondsOf,
  streamOf,
} from './decoder.ts';
import { type Av, loadAv } from './library.ts';
import {
  type FrameSampling,
  pictureScaler,
  repeated,
  type Source,
  sampleFrames,
  turnsOf,
} from './sample-frames.ts';

export interface Clip {
  /** Undefined for a clip that was not fetched: a placeholder stands for it. */
  readonly file: string | undefined;
  readonly facts: ClipFacts;
  /**
   * Exactly `round((end - start) * fps)` pictures, one at least, at a constant rate: of each moment the frame that is
   * shown then. Beyond the end of the file the last is repeated. Each picture is the caller's own, to paint on.
   */
  frames(sampling: FrameSampling): AsyncGenerator<Picture>;
  /** Ends the frames that are under way. */
  close(): Promise<void>;
}

/** What stands for a clip that is elsewhere: as long as one likes. */
const elsewhere: ClipFacts = {
  width: 854,
  height: 480,
  fps: 24,
  seconds: Number.POSITIVE_INFINITY,
  hasSound: false,
};

/** A file that is no clip is the project's error, and names the input. */
export async function openClip(input: RenderInput): Promise<Result<Clip, ProjectError>> {
  const { file, field, reference } = input;
  if (file === undefined) return ok(placeholderClip(reference));
  const av = await loadAv();
  const refuse = ({ code, why }: ClipProblem): Result<never, ProjectError> =>
    err({ code, message: `The clip of ${field} (${reference}) cannot be used: ${why}` });
  const inspection = await whileReserved(firstFrameBytes, () => inspectClip(av, file));
  if (!inspection.ok) return refuse({ code: 'file_too_large', why: inspection.error });
  if (!inspection.value.ok) return refuse(inspection.value.error);
  const { facts, source } = inspection.value.value;
  // What will be reserved for its frames is asked for now, when there is still somebody to be told.
  const frames = await whileReserved(source.bytes, () => undefined);
  if (!frames.ok) return refuse({ code: 'file_too_large', why: frames.error });
  const under = new Set<AsyncGenerator<Picture>>();
  return ok({
    file,
    facts,
    frames(sampling) {
      const frames = sampleFrames(av, source, sampling);
      under.add(frames);
      return frames;
    },
    async close() {
      for (const frames of under) await frames.return(undefined);
      under.clear();
    },
  });
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The part of a clip that a body asks for, as far as the clip goes; an error when it begins after the clip's end. */
export function partOf(
  { facts }: Pick<Clip, 'facts'>,
  { start, end }: Span,
  { field, reference }: RenderInput,
): Result<Span, ProjectError> {
  if (start < facts.seconds) return ok({ start, end: Math.min(end, facts.seconds) });
  return err({
    code: 'invalid_parameters',
    message: `start_seconds is ${start}, and the clip of ${field} (${reference}) is ${facts.seconds.toFixed(2)} seconds long`,
  });
}

function placeholderClip(reference: string): Clip {
  return {
    file: undefined,
    facts: elsewhere,
    async *frames(sampling) {
      yield* repeated(await placeholder(notFetched, reference, sampling), sampling);
    },
    close: () => Promise.resolve(),
  };
}

// What a file is as a clip, learned from its header and its first frame; the header is believed only where it can be true.

/** Three hours: longer files are not clips. */
const maxSeconds = 3 * 3600;
/** Rates outside are errors of a file. */
const minFps = 1;
const maxFps = 240;
/** For a file of one frame that says nothing. */
const usualFps = 25;
/** Packets that are read to learn the length of a file that does not say it: three hours at 30 a second. */
const maxPackets = 324_000;
/** How many times wider than high a pixel may be, and the other way round; more is an error of the file. */
const oddestPixel = 8;
const microseconds = 1e6;

interface ClipFacts {
  /** Pixels as displayed: turned, and with square pixels. */
  readonly width: number;
  readonly height: number;
  /** Frames a second, on average. */
  readonly fps: number;
  readonly seconds: number;
  readonly hasSound: boolean;
}

interface ClipProblem {
  readonly code: 'invalid_video_file' | 'file_too_large';
  readonly why: string;
}

interface Inspection {
  readonly facts: ClipFacts;
  readonly source: Source;
}

function inspectClip(av: Av, file: string): Result<Inspection, ClipProblem> {
  const container = openContainer(av, file, clipContainers);
  if (container === undefined) return unreadable('its video format is not supported');
  try {
    return inspect(av, file, container);
  } finally {
    container.close();
  }
}

const unreadable = (why: string): Result<never, ClipProblem> =>
  err({ code: 'invalid_video_file', why });
const tooLarge = (why: string): Result<never, ClipProblem> => err({ code: 'file_too_large', why });

function inspect(av: Av, file: string, container: Container): Result<Inspection, ClipProblem> {
  const stream = streamOf(av, container, 'video');
  if (stream === undefined) return unreadable('it has no picture');
  const { width, height } = stream.codecpar;
  if (width * height > maxPixels)
    return tooLarge(`it has ${width} × ${height} pixels; the limit is ${maxPixels}`);
  const first = firstOf(av, container, stream);
  if (first === undefined) return unreadable('none of its frames can be decoded');
  const pace = paceOf(av, file, container, stream);
  if (pace.seconds > maxSeconds)
    return tooLarge(`it has ${Math.round(pace.seconds)} seconds; the limit is ${maxSeconds}`);
  const turns = turnsOf(stream.codecpar.getCodedSideData(av.AV_PKT_DATA_DISPLAYMATRIX));
  const wide = Math.max(1, Math.round(first.width * aspectOf(stream)));
  const [across, down] = turns % 2 === 1 ? [first.height, wide] : [wide, first.height];
  const hasSound = streamOf(av, container, 'audio') !== undefined;
  const bytes = clipBytes(Math.max(width, first.width), Math.max(height, first.height));
  const seekable = container.format.iformat?.name !== 'gif';
  return ok({
    facts: { width: across, height: down, ...pace, hasSound },
    source: { file, from: first.from, turns, fps: pace.fps, seekable, bytes },
  });
}

/** The first frame that can be made a picture. */
function firstOf(av: Av, container: Container, stream: Stream) {
  const decoder = decoderOf(av, stream);
  if (decoder === undefined) return undefined;
  // A picture of it is made too: a broken file may have frames of a kind that there is not.
  const trial = pictureScaler(av, { width: 8, height: 8 }, 0);
  try {
    for (const { frame, seconds } of framesOf(av, container, stream, decoder))
      if (trial.picture(frame) !== undefined)
        return { width: frame.width, height: frame.height, from: seconds ?? 0 };
    return undefined;
  } finally {
    trial.close();
    decoder.freeContext();
  }
}

/** How much wider than high a pixel is shown. */
function aspectOf({ sampleAspectRatio, codecpar }: Stream): number {
  const said = [sampleAspectRatio, codecpar.sampleAspectRatio].map((ratio) => ratio.toDouble());
  return said.find((ratio) => ratio >= 1 / oddestPixel && ratio <= oddestPixel) ?? 1;
}

/** The length and the rate that the header says, or those of the packets where it says none. */
function paceOf(av: Av, file: string, { format }: Container, stream: Stream) {
  const length = secondsOf(av, stream.duration, stream) ?? Number(format.duration) / microseconds;
  const said = stream.avgFrameRate.toDouble();
  if (length > 0 && said >= minFps && said <= maxFps) return { seconds: length, fps: said };
  const counted = countedPace(av, file);
  const seconds = length > 0 ? length : counted.seconds;
  return { seconds, fps: Math.min(maxFps, Math.max(minFps, counted.frames / seconds)) };
}

/** Goes through all packets without decoding them. */
function countedPace(av: Av, file: string): { readonly frames: number; readonly seconds: number } {
  const container = openContainer(av, file, clipContainers);
  const stream = container && streamOf(av, container, 'video');
  if (container === undefined || stream === undefined) return { frames: 1, seconds: 1 / usualFps };
  let frames = 0;
  let [first, end] = [Number.POSITIVE_INFINITY, 0];
  for (const packet of packetsOf(av, container, stream)) {
    const from = secondsOf(av, packet.pts, stream) ?? end;
    frames += 1;
    first = Math.min(first, from);
    end = Math.max(end, from + (secondsOf(av, packet.duration, stream) ?? 0));
    if (frames >= maxPackets) break;
  }
  container.close();
  const span = end - first;
  // Where packets have no length, the last is as long as the others.
  return span > 0 ? { frames, seconds: span } : { frames: 1, seconds: 1 / usualFps };
}

// The most memory that decoding a clip takes.

/** Reference frames of H.264 and HEVC, the frame being decoded and the one being shown. */
const framesHeld = 18;
/** Of 4:2:0 at ten bits, or of 4:4:4 at eight bits. */
const bytesInFrame = 3;

/** The memory of a clip's decoder while frames are read. */
const clipBytes = (width: number, height: number): number =>
  width * height * bytesInFrame * framesHeld;

/** Its memory for the first frame, whose size may differ from the header's. */
const firstFrameBytes = maxPixels * bytesInFrame * 3;
