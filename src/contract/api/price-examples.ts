// Examples of each tool's price, for people: what the price is for, and the part of a request that decides it.
import type { JsonObject } from '../base/json.ts';

export interface PriceExample {
  readonly of: string;
  readonly body: JsonObject;
}

const seconds = (of: string, more: JsonObject = {}): PriceExample => ({
  of: `5 s${of}`,
  body: { start_seconds: 0, end_seconds: 5, ...more },
});

const each = (of: string): readonly PriceExample[] => [{ of, body: {} }];

const images = (count: number, model: string, resolution: string): PriceExample => ({
  of: `${count === 1 ? 'an image' : `${count} images`} by ${model} at ${resolution}`,
  body: { model, resolution, image_count: count },
});

const modes = (field: string, ...values: readonly string[]): readonly PriceExample[] =>
  values.map((value) => seconds(`, ${value}`, { style: { [field]: value } }));

const videos: readonly PriceExample[] = [
  seconds(' of ltx-2.3 at 480p', { model: 'ltx-2.3', resolution: '480p' }),
  seconds(' of kling-3.0 at 720p', { model: 'kling-3.0', resolution: '720p' }),
  seconds(' of kling-3.0 at 720p, with audio', {
    model: 'kling-3.0',
    resolution: '720p',
    audio: true,
  }),
];

const speech: readonly PriceExample[] = [100, 1000].map((length) => ({
  of: `${length} characters`,
  body: { style: { prompt: 'x'.repeat(length) } },
}));

export const priceExamples: Readonly<Record<string, readonly PriceExample[]>> = {
  'ai-clothes-changer': each('a picture'),
  'ai-face-editor': each('a picture'),
  'ai-gif-generator': each('a GIF'),
  'ai-headshot-generator': each('a portrait'),
  'ai-image-editor': [
    images(1, 'qwen-edit', '640px'),
    images(4, 'qwen-edit', '640px'),
    images(1, 'nano-banana-pro', '1k'),
  ],
  'ai-image-generator': [
    images(1, 'flux-schnell', '640px'),
    images(4, 'flux-schnell', '640px'),
    images(1, 'nano-banana-pro', '1k'),
  ],
  'ai-image-upscaler': [
    { of: 'a picture at 2×, preserve', body: { scale_factor: 2, style: { mode: 'preserve' } } },
    { of: 'a picture at 2×, balanced', body: { scale_factor: 2 } },
    { of: 'a picture at 4×, balanced', body: { scale_factor: 4 } },
  ],
  'ai-meme-generator': each('a meme'),
  'ai-qr-code-generator': each('a code'),
  'ai-talking-photo': modes('generation_mode', 'prompted', 'realistic', 'pro'),
  'ai-video-editor': [seconds(' of ltx-2.3', { model: 'ltx-2.3' })],
  'ai-voice-cloner': speech,
  'ai-voice-generator': speech,
  animation: [seconds(' at 24 fps', { fps: 24 }), seconds(' at 60 fps', { fps: 60 })],
  'audio-to-video': ['480p', '720p', '1080p'].map((resolution) =>
    seconds(` at ${resolution}`, { resolution }),
  ),
  'auto-subtitle-generator': [seconds('')],
  'body-swap': [{ of: 'a picture', body: { resolution: '640px' } }],
  'character-replace': [seconds(' at 480p', { resolution: '480p' })],
  'face-swap': [seconds('')],
  'face-swap-photo': each('a photo'),
  'head-swap': each('a picture'),
  'image-background-remover': each('a picture'),
  'image-to-video': videos,
  'lip-sync': [
    ...modes('generation_mode', 'standard', 'pro'),
    seconds(' with max_fps_limit 12', {
      style: { generation_mode: 'standard' },
      max_fps_limit: 12,
    }),
  ],
  'photo-colorizer': each('a photo'),
  'text-to-video': videos,
  'video-to-video': [seconds('')],
};
