// How the price of a tool is computed (facts.md, Prices). The rule is part of the tool's entry; prices by model are in models.ts;
// price.ts applies the rules.

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

/** The service publishes some prices per second "at 24 fps", but charges per frame. */
export const at24fps = 24;
