// One example of each tool's price, for people: what the price is for, and the part of a request
// that decides it.
import type { JsonObject } from '../base/json.ts';

export interface PriceExample {
  readonly of: string;
  readonly body: JsonObject;
}

const seconds = (of: string, more: JsonObject = {}): PriceExample => ({
  of: `5 s${of}`,
  body: { start_seconds: 0, end_seconds: 5, ...more },
});

const each = (of: string): PriceExample => ({ of, body: {} });

const kling = { model: 'kling-3.0', resolution: '720p' } as const;
const hundred = { style: { prompt: 'x'.repeat(100) } } as const;

export const priceExamples: Readonly<Record<string, PriceExample>> = {
  'ai-clothes-changer': each('a picture'),
  'ai-face-editor': each('a picture'),
  'ai-gif-generator': each('a GIF'),
  'ai-headshot-generator': each('a portrait'),
  'ai-image-editor': {
    of: 'an image by nano-banana-pro at 1k',
    body: { model: 'nano-banana-pro', resolution: '1k', image_count: 1 },
  },
  'ai-image-generator': {
    of: 'an image by flux-schnell at 640px',
    body: { model: 'flux-schnell', resolution: '640px', image_count: 1 },
  },
  'ai-image-upscaler': { of: 'a picture at 2×, balanced', body: { scale_factor: 2 } },
  'ai-meme-generator': each('a meme'),
  'ai-qr-code-generator': each('a code'),
  'ai-talking-photo': seconds(', realistic', { style: { generation_mode: 'realistic' } }),
  'ai-video-editor': seconds(' of ltx-2.3', { model: 'ltx-2.3' }),
  'ai-voice-cloner': { of: '100 characters', body: hundred },
  'ai-voice-generator': { of: '100 characters', body: hundred },
  animation: seconds(' at 24 fps', { fps: 24 }),
  'audio-to-video': seconds(' at 720p', { resolution: '720p' }),
  'auto-subtitle-generator': seconds(''),
  'body-swap': { of: 'a picture', body: { resolution: '640px' } },
  'character-replace': seconds(' at 480p', { resolution: '480p' }),
  'face-swap': seconds(''),
  'face-swap-photo': each('a photo'),
  'head-swap': each('a picture'),
  'image-background-remover': each('a picture'),
  'image-to-video': seconds(' of kling-3.0 at 720p', kling),
  'lip-sync': seconds(', standard', { style: { generation_mode: 'standard' } }),
  'photo-colorizer': each('a photo'),
  'text-to-video': seconds(' of kling-3.0 at 720p', kling),
  'video-to-video': seconds(''),
};
