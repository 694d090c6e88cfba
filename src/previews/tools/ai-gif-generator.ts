// ai-gif-generator: a card of the prompt with a running clock, two seconds long, as a GIF, an MP4 or a WebM.
import { join } from 'node:path';
import sharp from 'sharp';
import { ok } from '../../base/result.ts';
import { textIn } from '../base/fields.ts';
import { keyOf } from '../base/key.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderCardClip, withClock } from '../clips/card-clip.ts';
import { type Card, drawCard } from '../pictures/card.ts';
import { mark } from '../pictures/mark.ts';
import { cardOf } from '../pictures/request-card.ts';

/** The hosted service's GIFs have no published length, rate and size; these are usual ones. */
const usual = { width: 480, height: 480, fps: 10, seconds: 2 };

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const card = await cardOf(request);
  if (!card.ok) return card;
  const extension = textIn(request, 'output_format') || 'gif';
  return extension === 'gif'
    ? renderAsGif(request, card.value)
    : renderCardClip(request, card.value, { ...usual, extension });
}

async function renderAsGif(request: RenderRequest, card: Card): Promise<RenderOutcome> {
  const { width, height, fps, seconds } = usual;
  const picture = await drawCard(card, usual);
  const frames = Array.from({ length: fps * seconds }, (_, index) => {
    const frame = withClock(picture, index / fps, seconds);
    mark(frame, request.tool.name, keyOf(request));
    return frame.pixels;
  });
  const raw = { width, height: height * frames.length, channels: 4, pageHeight: height } as const;
  const name = '0.gif';
  await sharp(Buffer.concat(frames), { raw })
    .gif({ delay: 1000 / fps, loop: 0, effort: 1 })
    .toFile(join(request.folder, name));
  return ok([{ name, width, height, fps }]);
}
