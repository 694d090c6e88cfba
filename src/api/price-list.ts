// What the service charges, as published: the one place to edit when prices change. Transcribed
// from facts.md, Prices that are published. What the rules mean is in price.ts.

/** A published figure for each value of a field, in credits. */
export interface Table {
  /** The field that decides, as a path into the body. */
  readonly field: string;
  readonly credits: Readonly<Record<string, number>>;
  /**
   * True where the service takes no other value: then the dearest bounds a body that leaves it out.
   */
  readonly complete: boolean;
}

/**
 * A model's credits a second of output, by resolution; a resolution that is missing it does not
 * have.
 */
export interface ModelRate {
  readonly silent: Readonly<Record<string, number>>;
  /** With `audio: true`, where the list says that it costs more. */
  readonly sounding?: Readonly<Record<string, number>>;
}

export type PriceRule =
  /** The same for each creation. */
  | { readonly kind: 'flat'; readonly credits: number }
  /** For each creation, by the value of a field. */
  | { readonly kind: 'choice'; readonly table: Table }
  | {
      readonly kind: 'upscale';
      /** By `style.mode`, then by `scale_factor`. */
      readonly modes: Readonly<Record<string, Readonly<Record<string, number>>>>;
    }
  /** For each character of a text. */
  | { readonly kind: 'characters'; readonly field: string; readonly credits: number }
  | {
      readonly kind: 'images';
      /**
       * For one image at the lowest resolution, by `model`; higher ones cost an unpublished more.
       */
      readonly models: Readonly<Record<string, number>>;
      readonly lowest: string;
      /** How many images are made when `image_count` is left out, where it may be. */
      readonly usualCount?: number;
      /** Older fields that choose a model or a quality: what they cost is not published. */
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
  | {
      readonly kind: 'model-seconds';
      /** For each second up to `end_seconds`, by `model` and `resolution`. */
      readonly models: Readonly<Record<string, ModelRate>>;
      /** The model whose price bounds a body without one, or with `default`. */
      readonly dearestDefault: string;
      readonly unpriced: readonly string[];
    }
  | { readonly kind: 'unpublished'; readonly why: string };

/** The list gives these by the second "at 24 fps": what is charged is the frame. */
const at24fps = 24;

// `default` is kling-3.0 on paid tiers and ltx-2.3 on free: the first is never the cheaper one.
const modelSeconds: PriceRule = {
  kind: 'model-seconds',
  dearestDefault: 'kling-3.0',
  unpriced: ['style.quality_mode', 'style.high_quality'],
  models: {
    'ltx-2.3': { silent: { '480p': 24, '720p': 48, '1080p': 72 } },
    'wan-2.2': { silent: { '480p': 24, '720p': 48, '1080p': 72 } },
    'kling-2.6': { silent: { '720p': 36, '1080p': 72 } },
    'kling-3.0': {
      silent: { '720p': 48, '1080p': 72, '4k': 240 },
      sounding: { '720p': 48 + 24, '1080p': 72 + 24, '4k': 240 + 48 },
    },
    'veo3.1-lite': {
      silent: { '720p': 48, '1080p': 72 },
      sounding: { '720p': 48 + 24, '1080p': 72 + 24 },
    },
    'veo3.1': {
      silent: { '720p': 96, '1080p': 120 },
      sounding: { '720p': 96 + 24, '1080p': 120 + 24 },
    },
    'seedance-1.5': {
      silent: { '480p': 30, '720p': 60, '1080p': 90 },
      sounding: { '480p': 30 * 2, '720p': 60 * 2, '1080p': 90 * 2 },
    },
    'seedance-2.0-mini': { silent: { '480p': 96, '720p': 192 } },
    'seedance-2.0': { silent: { '480p': 144, '720p': 288 } },
    'seedance-2.5': { silent: { '480p': 288, '720p': 576 } },
    'sora-2': { silent: { '720p': 120 } },
  },
};

/** The list does not say which tool takes which model: the request schemas do. */
const imageModels = {
  'flux-schnell': 5,
  'flux-2-klein': 5,
  'z-image-turbo': 5,
  'qwen-edit': 10,
  'seedream-v4': 40,
  'nano-banana': 50,
  'nano-banana-2-lite': 50,
  'gpt-image-2': 50,
  'seedream-v4.5': 50,
  'seedream-v5-pro': 75,
  'nano-banana-2': 100,
  'nano-banana-pro': 150,
} as const;

const byRenderedFrame: PriceRule = {
  kind: 'unpublished',
  why: 'it is charged by rendered frame, and the rate is not published',
};

export const priceList: {
  /** The month that the list was published in. */
  readonly date: string;
  readonly tools: Readonly<Record<string, PriceRule>>;
} = {
  date: '2026-08',
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
    // "100 (one source: 50 at 640px, more above)": 100 bounds both at 640px; above it, nothing
    // does.
    'body-swap': {
      kind: 'choice',
      table: { field: 'resolution', credits: { '640px': 100 }, complete: false },
    },
    'ai-image-upscaler': {
      kind: 'upscale',
      modes: {
        preserve: { '2': 25, '4': 100 },
        balanced: { '2': 50, '4': 200 },
        creative: { '2': 50, '4': 200 },
      },
    },
    'ai-voice-generator': { kind: 'characters', field: 'style.prompt', credits: 0.05 },
    'ai-voice-cloner': { kind: 'characters', field: 'style.prompt', credits: 0.05 },
    'ai-image-generator': {
      kind: 'images',
      models: imageModels,
      lowest: '640px',
      unpriced: ['style.quality_mode'],
    },
    // One image when image_count is left out: the public clients' documentation.
    'ai-image-editor': {
      kind: 'images',
      models: imageModels,
      lowest: '640px',
      usualCount: 1,
      unpriced: ['style.model'],
    },
    animation: {
      kind: 'frames',
      credits: 24 / at24fps,
      fps: { field: 'fps', effect: 'sets' },
    },
    'face-swap': { kind: 'frames', credits: 24 / at24fps },
    // fps_resolution HALF may halve it; nothing says so.
    'video-to-video': { kind: 'frames', credits: 48 / at24fps },
    'auto-subtitle-generator': { kind: 'frames', credits: 4.8 / at24fps },
    'lip-sync': {
      kind: 'frames',
      credits: {
        field: 'style.generation_mode',
        credits: { lite: 1, standard: 1, pro: 2 },
        complete: true,
      },
      fps: { field: 'max_fps_limit', effect: 'caps' },
    },
    'audio-to-video': {
      kind: 'seconds',
      table: {
        field: 'resolution',
        credits: { '480p': 24, '720p': 48, '1080p': 72 },
        complete: true,
      },
    },
    'ai-talking-photo': {
      kind: 'seconds',
      table: {
        field: 'style.generation_mode',
        credits: { prompted: 20, realistic: 48 },
        complete: false,
      },
    },
    'text-to-video': modelSeconds,
    'image-to-video': modelSeconds,
    'character-replace': byRenderedFrame,
    'ai-video-editor': byRenderedFrame,
  },
};
