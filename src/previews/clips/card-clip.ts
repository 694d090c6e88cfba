// A card or another still as a clip, with a running clock: it has the right size, length, frame rate and sound.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { copyOf } from '../pictures/canvas.ts';
import { type Card, drawCard } from '../pictures/card.ts';
import { paintClock } from '../pictures/clock.ts';
import type { Picture } from '../pictures/picture.ts';
import { type OutputClip, renderFrames } from './render-frames.ts';
import type { Sound } from './sound.ts';

/** Frames per second of a clip that is drawn. */
export const usualFps = 24;

export async function renderCardClip(
  request: RenderRequest,
  card: Card,
  clip: OutputClip,
  sound?: Sound,
): Promise<RenderOutcome> {
  return renderStill(request, await drawCard(card, clip), clip, sound);
}

/** A picture of the clip's size, with a running clock. */
export function renderStill(
  request: RenderRequest,
  picture: Picture,
  clip: OutputClip,
  sound?: Sound,
): Promise<RenderOutcome> {
  return renderFrames(request, clip, (time) => withClock(picture, time, clip.seconds), sound);
}

/** The frame at a time. */
export function withClock(picture: Picture, time: number, seconds: number): Picture {
  const frame = copyOf(picture);
  paintClock(frame, time, seconds);
  return frame;
}
