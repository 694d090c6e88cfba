// animation: a card with a running clock, in the size and at the rate that were asked for, over the music.

import { ok, type Result } from '../../base/result.ts';
import { clipOf } from '../../contract/api/clip.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { inputIn, numberIn, textIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderCardClip } from '../clips/card-clip.ts';
import { shorterSideFor, sizeWith } from '../clips/size.ts';
import type { Sound } from '../clips/sound.ts';
import { cardOf } from '../pictures/request-card.ts';
import { openVoice, toneFor } from '../sound/voice.ts';

/** Frames per second: beyond these no player goes, or no movement is left. */
const rates = { least: 1, most: 60, usual: 12 };

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const card = await cardOf(request);
  if (!card.ok) return card;
  const { seconds } = clipOf(request.body);
  const sound = await soundOf(request, seconds);
  if (!sound.ok) return sound;
  const { most, longest } = request;
  const width = numberIn(request, 'width') ?? most;
  const height = numberIn(request, 'height') ?? most;
  const side = shorterSideFor(width, height, Math.min(width, height, most), longest);
  const fps = Math.min(rates.most, Math.max(rates.least, numberIn(request, 'fps') ?? rates.usual));
  const clip = { ...sizeWith(width, height, side), fps, seconds };
  return renderCardClip(request, card.value, clip, sound.value);
}

/** Undefined: the animation is to be silent. */
async function soundOf(
  request: RenderRequest,
  seconds: number,
): Promise<Result<Sound | undefined, ProjectError>> {
  const source = textIn(request, 'assets.audio_source');
  // The music of a link is not fetched.
  if (source === 'youtube') return ok(toneFor(seconds, textIn(request, 'assets.youtube_url')));
  const music = inputIn(request, 'assets.audio_file_path');
  if (source !== 'file' || music === undefined) return ok(undefined);
  const voice = await openVoice(music, { start: 0, end: seconds });
  return voice.ok ? ok(voice.value.sound) : voice;
}
