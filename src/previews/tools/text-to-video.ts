// text-to-video: a card of the prompt with a running clock.
import { clipOf } from '../../contract/api/clip.ts';
import { aspectRatioIn, sideIn } from '../base/fields.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderCardClip, usualFps } from '../clips/card-clip.ts';
import { sizeWith } from '../clips/size.ts';
import { cardOf } from '../pictures/request-card.ts';
import { toneFor } from '../sound/voice.ts';

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const card = await cardOf(request);
  if (!card.ok) return card;
  const size = sizeWith(aspectRatioIn(request) ?? 16 / 9, 1, sideIn(request));
  const { seconds } = clipOf(request.body);
  const sound = request.body['audio'] === true ? toneFor(seconds, keyOf(request)) : undefined;
  return renderCardClip(request, card.value, { ...size, fps: usualFps, seconds }, sound);
}
