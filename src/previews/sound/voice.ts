// A sound that a request names, with how loud it is when: as long as it lasts, and an error of the project when it
// cannot be heard.
import type { ProjectError } from '../../contract/api/project.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { hueOf } from '../base/key.ts';
import type { RenderInput } from '../base/request.ts';
import { loadAv } from '../clips/library.ts';
import type { Span } from '../clips/open.ts';
import { isHeard, type Sound, samplesOf, soundChannels, soundRate } from '../clips/sound.ts';
import { type Levels, levelsOf } from './levels.ts';
import { toneOf, toneRate } from './tone.ts';

export interface Voice {
  readonly sound: Sound;
  readonly levels: Levels;
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
  // A little more than is rendered, so that what is too long is seen to be.
  const heard = Math.min(asked, mostSeconds + 1);
  if (file === undefined) {
    const sound = toneFor(asked, reference);
    return ok({ sound, levels: levelsOf([sound.samples], sound.rate, 1), seconds: asked });
  }
  const av = await loadAv();
  const sound = { file, start, end: start + heard };
  if (!isHeard(av, sound))
    return invalid(
      `The sound of ${field} (${reference}) cannot be used: it is not a sound that can be decoded`,
    );
  const levels = levelsOf(samplesOf(av, sound), soundRate, soundChannels);
  const seconds = Math.min(heard, levels.values.length / levels.rate);
  if (seconds === 0)
    return invalid(
      `start_seconds is ${start}, and the sound of ${field} (${reference}) ends before that`,
    );
  return ok({ sound, levels, seconds });
}

const invalid = (message: string): Result<never, ProjectError> =>
  err({ code: 'invalid_parameters', message });

/** A tone as long as a clip. Its pitch comes from the key. */
export function toneFor(seconds: number, key: string): { rate: number; samples: Float32Array } {
  const pitch = 110 + (hueOf(key) % 110);
  return { rate: toneRate, samples: toneOf(Math.min(seconds, mostSeconds), pitch) };
}
