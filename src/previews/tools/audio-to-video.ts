// audio-to-video: the sound itself, over a card with a running clock, in the shape of the picture if there is one.
import { clipOf } from '../../contract/api/clip.ts';
import { requiredInput, sideIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderCardClip, usualFps } from '../clips/card-clip.ts';
import { sizeWith } from '../clips/size.ts';
import { cardOf } from '../pictures/request-card.ts';
import { openVoice } from '../sound/voice.ts';

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const card = await cardOf(request);
  if (!card.ok) return card;
  const input = requiredInput(request, 'assets.audio_file_path');
  const voice = await openVoice(input, clipOf(request.body));
  if (!voice.ok) return voice;
  const { width, height } = card.value.thumbnails[0]?.picture ?? { width: 16, height: 9 };
  const { seconds, sound } = voice.value;
  const clip = { ...sizeWith(width, height, sideIn(request)), fps: usualFps, seconds };
  return renderCardClip(request, card.value, clip, sound);
}
