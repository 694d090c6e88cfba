// Examples of a tool's price, for people: what the price is for, and the part of a request that decides it.
import type { JsonObject } from '../../base/json.ts';

export interface PriceExample {
  /** Follows the price: `10 for a meme`. */
  readonly of: string;
  readonly body: JsonObject;
}

/** Five seconds of a clip. `which` follows the length: ` at 480p`. */
export const fiveSeconds = (which = '', more: JsonObject = {}): PriceExample => ({
  of: `5 s${which}`,
  body: { start_seconds: 0, end_seconds: 5, ...more },
});

export const imagesExample = (count: number, model: string, resolution: string): PriceExample => ({
  of: `${count === 1 ? 'an image' : `${count} images`} by ${model} at ${resolution}`,
  body: { model, resolution, image_count: count },
});

/** Shared by text-to-video and image-to-video, which have the same prices. */
export const generatedVideoExamples: readonly PriceExample[] = [
  fiveSeconds(' of ltx-2.3 at 480p', { model: 'ltx-2.3', resolution: '480p' }),
  fiveSeconds(' of kling-3.0 at 720p', { model: 'kling-3.0', resolution: '720p' }),
  fiveSeconds(' of kling-3.0 at 720p, with audio', {
    model: 'kling-3.0',
    resolution: '720p',
    audio: true,
  }),
];

/** Shared by the tools that speak a text. */
export const speechExamples: readonly PriceExample[] = [100, 1000].map((length) => ({
  of: `${length} characters`,
  body: { style: { prompt: 'x'.repeat(length) } },
}));
