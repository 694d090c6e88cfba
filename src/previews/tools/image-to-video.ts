// image-to-video: a card of the first and the last picture with a running clock, in the shape of the first.
import { clipOf } from '../../contract/api/clip.ts';
import { numberIn, sideIn } from '../base/fields.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderCardClip, usualFps } from '../clips/card-clip.ts';
import { sizeWith } from '../clips/size.ts';
import type { Size } from '../pictures/picture.ts';
import { cardOf } from '../pictures/request-card.ts';
import { toneFor } from '../sound/voice.ts';

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const card = await cardOf(request);
  if (!card.ok) return card;
  const [first] = card.value.thumbnails;
  if (first === undefined) throw new Error('bug: image-to-video has no picture');
  const { seconds } = clipOf(request.body);
  const clip = { ...sizeIn(request, first.picture), fps: usualFps, seconds };
  const sound = request.body['audio'] === true ? toneFor(seconds, keyOf(request)) : undefined;
  return renderCardClip(request, card.value, clip, sound);
}

/** `width` and `height` where the request gives both, else the picture's proportions. */
function sizeIn(request: RenderRequest, picture: Size): Size {
  const width = numberIn(request, 'width');
  const height = numberIn(request, 'height');
  if (width === undefined || height === undefined || Math.min(width, height) < 1)
    return sizeWith(picture.width, picture.height, sideIn(request));
  return sizeWith(width, height, Math.min(width, height, request.most));
}
