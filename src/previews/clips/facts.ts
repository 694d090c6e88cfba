// What a file is as a clip, learned from its header and its first frame; the header is believed only where it can be true.
import type { Stream } from 'node-av';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { clipBytes } from '../pictures/decoded-size.ts';
import {
  type Container,
  clipContainers,
  openContainer,
  packetsOf,
  secondsOf,
  streamOf,
} from './container.ts';
import { decoderOf, framesOf, mostPixels } from './decoder.ts';
import type { Av } from './library.ts';
import { turnsOf } from './rotation.ts';
import { pictureScaler, type Source } from './sample-frames.ts';

/** Three hours: longer files are not clips. */
const mostSeconds = 3 * 3600;
/** Rates outside are errors of a file. */
const fewestFps = 1;
const mostFps = 240;
/** For a file of one frame that says nothing. */
const usualFps = 25;
/** Packets that are read to learn the length of a file that does not say it: three hours at 30 a second. */
const mostPackets = 324_000;
/** How many times wider than high a pixel may be, and the other way round; more is an error of the file. */
const oddestPixel = 8;
const microseconds = 1e6;

export interface ClipFacts {
  /** Pixels as displayed: turned, and with square pixels. */
  readonly width: number;
  readonly height: number;
  /** Frames a second, on average. */
  readonly fps: number;
  readonly seconds: number;
  readonly hasSound: boolean;
}

export interface ClipProblem {
  readonly code: 'invalid_video_file' | 'file_too_large';
  readonly why: string;
}

export interface Inspection {
  readonly facts: ClipFacts;
  readonly source: Source;
}

export function inspectClip(av: Av, file: string): Result<Inspection, ClipProblem> {
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
  if (width * height > mostPixels)
    return tooLarge(`it has ${width} × ${height} pixels; the limit is ${mostPixels}`);
  const first = firstOf(av, container, stream);
  if (first === undefined) return unreadable('none of its frames can be decoded');
  const pace = paceOf(av, file, container, stream);
  if (pace.seconds > mostSeconds)
    return tooLarge(`it has ${Math.round(pace.seconds)} seconds; the limit is ${mostSeconds}`);
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
  if (length > 0 && said >= fewestFps && said <= mostFps) return { seconds: length, fps: said };
  const counted = countedPace(av, file);
  const seconds = length > 0 ? length : counted.seconds;
  return { seconds, fps: Math.min(mostFps, Math.max(fewestFps, counted.frames / seconds)) };
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
    if (frames >= mostPackets) break;
  }
  container.close();
  const span = end - first;
  // Where packets have no length, the last is as long as the others.
  return span > 0 ? { frames, seconds: span } : { frames: 1, seconds: 1 / usualFps };
}
