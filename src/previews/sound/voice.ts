// A sound that a request names: as long as it lasts, and an error of the project when it cannot be heard.

import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { hueOf } from '../base/key.ts';
import type { RenderInput } from '../base/request.ts';
import { loadAv } from '../clips/library.ts';
import type { Span } from '../clips/open.ts';
import { isHeard, type Sound, samplesOf, soundChannels, soundRate } from '../clips/sound.ts';
import { toneOf, toneRate } from './tone.ts';

export interface Voice {
  readonly sound: Sound;
  /** Its length, at most that of the span that was asked for. */
  readonly seconds: number;
}

/** Longer clips are not rendered (see the last stage of clips), so nobody needs more of a sound. */
const mostSeconds = 600;

/** The part of a sound file between two times; of a sound that is elsewhere, a tone in its place. */
export async function openVoice(
  { file, field, reference }: RenderInput,
  { start, end }: Span,
): Promise<Result<Voice, ProjectError>> {
  const asked = end - start;
  if (file === undefined) return ok({ sound: toneFor(asked, reference), seconds: asked });
  const av = await loadAv();
  // A little more than is rendered, so that what is too long is seen to be.
  const sound = { file, start, end: start + Math.min(asked, mostSeconds + 1) };
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
export function toneFor(seconds: number, key: string): { rate: number; samples: Float32Array } {
  const pitch = 110 + (hueOf(key) % 110);
  return { rate: toneRate, samples: toneOf(Math.min(seconds, mostSeconds), pitch) };
}
