// The published price of each tool. Prices by model are in models.ts; price.ts applies the rules.
import { published } from './models.ts';

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

/** The list gives these prices per second "at 24 fps", but the service charges per frame. */
const at24fps = 24;

const modelSeconds: PriceRule = {
  kind: 'model-seconds',
  unpriced: ['style.quality_mode', 'style.high_quality'],
};

const byRenderedFrame: PriceRule = {
  kind: 'unpublished',
  why: 'it is charged per rendered frame, and the rate is not published',
};

export const priceList: {
  /** The month in which the list was published. */
  readonly date: string;
  /**
   * Goes up with every change of a price or a formula. A journal's charge that was measured with
   * another edition says nothing about this one.
   */
  readonly edition: number;
  readonly tools: Readonly<Record<string, PriceRule>>;
} = {
  date: published,
  edition: 2,
  tools: {
    'face-swap-photo': { kind: 'flat', credits: 10 },
    'head-swap': { kind: 'flat', credits: 10 },
    'ai-meme-generator': { kind: 'flat', credits: 10 },
    'photo-colorizer': { kind: 'flat', credits: 10 },
    'image-background-remover': { kind: 'flat', credits: 5 },
    'ai-clothes-changer': { kind: 'flat', credits: 25 },
    'ai-gif-generator': { kind: 'flat', credits: 50 },
    'ai-headshot-generator': { kind: 'flat', credits: 50 },
    'ai-face-editor': { kind: 'flat', credits: 1 },
    'ai-qr-code-generator': { kind: 'flat', credits: 0 },
    // Another source says "from 50". If sources differ, the higher price counts.
    'body-swap': { kind: 'flat', credits: 100 },
    'ai-image-upscaler': {
      kind: 'upscale',
      usualMode: 'balanced',
      modes: {
        preserve: { '2': 25, '4': 100 },
        pro: { '2': 25, '4': 100 },
        balanced: { '2': 50, '4': 200 },
        creative: { '2': 50, '4': 200 },
      },
    },
    // Another source says 0.05. If sources differ, the higher price counts.
    'ai-voice-generator': { kind: 'characters', field: 'style.prompt', credits: 0.1 },
    'ai-voice-cloner': { kind: 'characters', field: 'style.prompt', credits: 0.1 },
    'ai-image-generator': { kind: 'images', role: 'counts', unpriced: ['style.quality_mode'] },
    // One image if image_count is missing, by the documentation of the public clients.
    'ai-image-editor': {
      kind: 'images',
      role: 'inputs',
      usualCount: 1,
      unpriced: ['style.model'],
    },
    animation: {
      kind: 'frames',
      credits: 24 / at24fps,
      fps: { field: 'fps', effect: 'sets' },
    },
    'face-swap': { kind: 'frames', credits: 24 / at24fps },
    // fps_resolution HALF may halve the price; no source says so.
    'video-to-video': { kind: 'frames', credits: 48 / at24fps },
    'auto-subtitle-generator': { kind: 'frames', credits: 4.8 / at24fps },
    'lip-sync': {
      kind: 'frames',
      credits: {
        field: 'style.generation_mode',
        credits: { lite: 1, standard: 1, pro: 2 },
      },
      fps: { field: 'max_fps_limit', effect: 'caps' },
    },
    'audio-to-video': {
      kind: 'seconds',
      table: {
        field: 'resolution',
        credits: { '480p': 24, '720p': 48, '1080p': 72 },
      },
    },
    'ai-talking-photo': {
      kind: 'seconds',
      table: {
        field: 'style.generation_mode',
        credits: { prompted: 20, realistic: 48 },
      },
    },
    'text-to-video': modelSeconds,
    'image-to-video': modelSeconds,
    'character-replace': byRenderedFrame,
    'ai-video-editor': byRenderedFrame,
  },
};
