// How the price of a tool is computed (facts.md, Prices). The rule is part of the tool's entry; prices by model are in image-models.ts and video-models.ts;
// price.ts applies the rules.
import type { JsonObject } from '../base/json.ts';

/** The month in which the prices were published. */
export const pricesPublished = '2026-08';

/**
 * Goes up with every change of a price or a formula. A journal's charge that was measured with another edition says nothing
 * about this one.
 */
export const priceEdition = 2;

/** A published price for each value of a field, in credits. */
export interface Table {
  /** The field that decides, as a path into the body. */
  readonly field: string;
  readonly credits: Readonly<Record<string, number>>;
}

export type PriceRule =
  /** The same for each creation. */
  | { readonly kind: 'flat'; readonly credits: number }
  | {
      readonly kind: 'upscale';
      /** By `style.mode`, then by `scale_factor`. */
      readonly modes: Readonly<Record<string, Readonly<Record<string, number>>>>;
      readonly usualMode: string;
    }
  /** For each character of a text. */
  | { readonly kind: 'characters'; readonly field: string; readonly credits: number }
  | {
      readonly kind: 'images';
      /** For one image at the model's lowest resolution. */
      readonly role: 'counts' | 'inputs';
      /** The number of images if `image_count` is optional and missing. */
      readonly usualCount?: number;
      /** Older fields that choose a model or a quality, without published prices. */
      readonly unpriced: readonly string[];
    }
  | {
      readonly kind: 'frames';
      /** For one rendered frame. */
      readonly credits: number | Table;
      /** The field that sets the frame rate (`sets`) or keeps it low (`caps`). */
      readonly fps?: { readonly field: string; readonly effect: 'sets' | 'caps' };
    }
  /** For each second of the clip. */
  | { readonly kind: 'seconds'; readonly table: Table }
  /** For each second up to `end_seconds`, by `model` and `resolution`. */
  | { readonly kind: 'model-seconds'; readonly unpriced: readonly string[] }
  | { readonly kind: 'unpublished'; readonly why: string };

export type PriceRuleOf<Kind extends PriceRule['kind']> = Extract<PriceRule, { kind: Kind }>;

/** The service publishes some prices per second "at 24 fps", but charges per frame. */
export const at24fps = 24;

// Examples of a tool's price, for people: what the price is for, and the part of a request that decides it.

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
