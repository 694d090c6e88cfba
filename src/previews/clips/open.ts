// Opens an input clip: reads its properties, and its frames at the size and rate that a tool needs. Native memory is
// allocated only while frames are being read.
import type { ProjectError } from '../../contract/api/project.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { whileReserved } from '../base/decode-memory.ts';
import type { RenderInput } from '../base/request.ts';
import { notFetched, placeholder } from '../pictures/card.ts';
import { firstFrameBytes } from '../pictures/decoded-size.ts';
import type { Picture } from '../pictures/picture.ts';
import { mostPixels } from './decoder.ts';
import { type ClipFacts, type ClipProblem, inspectClip } from './facts.ts';
import { loadAv } from './library.ts';
import { type FrameSampling, repeated, sampleFrames } from './sample-frames.ts';

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
  const inspection = await whileReserved(firstFrameBytes(mostPixels), () => inspectClip(av, file));
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
