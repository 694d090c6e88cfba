// The image tools that make or edit a picture as words say (facts.md, Body fields of every creation
// endpoint).
import { imageAsset } from './fields.ts';
import type { Tool } from './kind.ts';
import { choice, flag, group, listedTool, openList, text } from './listed-tool.ts';
import { fitsImageEditModel, fitsImageModel } from './model-rules.ts';

const mostImages = 16;
const nonEmpty = { minLength: 1 };
const imageResolution = choice('Output resolution.', '640px', '1k', '2k', '4k', 'auto');

const aiGifGenerator = listedTool({
  name: 'ai-gif-generator',
  title: 'Make a GIF from words',
  record: 'image',
  type: 'AI_GIF',
  medianSeconds: 23,
  description: 'Draws a short moving picture from a prompt. 50 credits.',
  required: ['style'],
  fields: {
    output_format: choice('File format of the output.', 'gif', 'mp4', 'webm'),
    style: group('What to draw.', ['prompt'], {
      prompt: text('The picture, in words: up to 500 characters.', {
        minLength: 1,
        maxLength: 500,
      }),
    }),
  },
  examples: [
    { style: { prompt: 'a cat knocks over a cup' } },
    { output_format: 'webm', style: { prompt: 'a cat knocks over a cup' } },
  ],
});

const aiHeadshotGenerator = listedTool({
  name: 'ai-headshot-generator',
  title: 'Make a headshot of a selfie',
  record: 'image',
  type: 'AI_HEADSHOT',
  medianSeconds: 14,
  description: 'Turns a picture of a person into a professional portrait. 50 credits.',
  required: ['assets'],
  fields: {
    assets: group('What goes in.', ['image_file_path'], {
      image_file_path: { ...imageAsset, description: 'A picture of the person.' },
    }),
    style: group('How it should look.', [], { prompt: text('The portrait, in words.') }),
  },
  examples: [
    { assets: { image_file_path: 'asset:image' } },
    { assets: { image_file_path: 'asset:image' }, style: { prompt: 'grey background' } },
  ],
});

const aiImageEditor = listedTool({
  name: 'ai-image-editor',
  title: 'Edit pictures by prompt',
  record: 'image',
  type: 'AI_IMAGE_EDITOR',
  medianSeconds: 9,
  description: 'Edits a picture, or up to 10 together, as a prompt says.',
  required: ['assets', 'style'],
  fields: {
    aspect_ratio: choice(
      'Shape of the output.',
      'auto',
      '16:9',
      '1:1',
      '2:3',
      '3:2',
      '4:3',
      '4:5',
      '9:16',
    ),
    image_count: {
      type: 'integer',
      enum: [1, 4, 9, 16],
      description: 'How many pictures to make.',
    },
    model: openList(
      'The model that edits; it decides the price.',
      'default',
      'flux-2-klein',
      'gpt-image-2',
      'nano-banana',
      'nano-banana-2',
      'nano-banana-2-lite',
      'nano-banana-pro',
      'qwen-edit',
      'seedream-v4',
      'seedream-v4.5',
      'seedream-v5-pro',
    ),
    resolution: imageResolution,
    assets: group('The pictures to edit.', [], {
      image_file_path: { ...imageAsset, description: 'The picture to edit, when it is one.' },
      image_file_paths: {
        type: 'array',
        maxItems: 10,
        description: 'The pictures to edit: up to 10.',
        items: { ...imageAsset, description: 'A picture to edit.' },
      },
    }),
    style: group('What to change.', ['prompt'], {
      prompt: text('The edit, in words: up to 15,000 characters.', {
        minLength: 1,
        maxLength: 15_000,
      }),
      model: choice('Older form of model.', 'default', 'Nano Banana', 'Seedream'),
    }),
  },
  rules: fitsImageEditModel,
  examples: [
    {
      image_count: 1,
      model: 'qwen-edit',
      resolution: '640px',
      assets: { image_file_paths: ['asset:image'] },
      style: { prompt: 'remove the sign' },
    },
    {
      assets: { image_file_path: 'asset:image' },
      style: { prompt: 'make it night' },
    },
  ],
});

const aiImageGenerator = listedTool({
  name: 'ai-image-generator',
  title: 'Make pictures from words',
  record: 'image',
  type: 'AI_IMAGE',
  medianSeconds: 5,
  description: 'Draws pictures from a prompt.',
  required: ['image_count', 'style'],
  fields: {
    image_count: {
      type: 'integer',
      minimum: 1,
      maximum: mostImages,
      description: 'How many pictures to make; the highest number varies by model.',
    },
    aspect_ratio: choice('Shape of the output.', '16:9', '1:1', '9:16'),
    orientation: choice('Older form of aspect_ratio.', 'landscape', 'portrait', 'square'),
    model: openList(
      'The model that draws; it decides the price.',
      'default',
      'flux-2-klein',
      'flux-schnell',
      'gpt-image-2',
      'nano-banana',
      'nano-banana-2',
      'nano-banana-2-lite',
      'nano-banana-pro',
      'seedream',
      'seedream-v4',
      'seedream-v5-pro',
      'z-image-turbo',
    ),
    resolution: imageResolution,
    style: group('What to draw.', ['prompt'], {
      prompt: text('The picture, in words.', nonEmpty),
      quality_mode: choice('Older choice of quality.', 'pro', 'standard'),
      tool: openList('A preset of the hub.'),
    }),
  },
  rules: fitsImageModel,
  examples: [
    {
      image_count: 2,
      model: 'flux-schnell',
      resolution: '640px',
      aspect_ratio: '1:1',
      style: { prompt: 'a lighthouse in a storm' },
    },
    { image_count: 1, style: { prompt: 'a lighthouse in a storm' } },
  ],
});

const aiMemeGenerator = listedTool({
  name: 'ai-meme-generator',
  title: 'Make a meme about a topic',
  record: 'image',
  type: 'AI_MEME',
  medianSeconds: 9,
  description: 'Fills a meme template with a joke on a topic. 10 credits.',
  required: ['style'],
  fields: {
    style: group('The joke.', ['template', 'topic'], {
      template: openList(
        'The meme.',
        'Bike Fall',
        'Change My Mind',
        'Disappointed Guy',
        'Drake Hotline Bling',
        'Galaxy Brain',
        "Gru's Plan",
        'Is This a Pigeon',
        'Panik Kalm Panik',
        'Random',
        'Side Eyeing Chloe',
        'Tuxedo Winnie The Pooh',
        'Two Buttons',
        'Waiting Skeleton',
      ),
      topic: text('What it is about: up to 200 characters.', { minLength: 1, maxLength: 200 }),
      searchWeb: flag('Whether to look the topic up first.'),
    }),
  },
  examples: [{ style: { template: 'Drake Hotline Bling', topic: 'the code finally works' } }],
});

const aiQrCodeGenerator = listedTool({
  name: 'ai-qr-code-generator',
  title: 'Make a QR code that is a picture',
  record: 'image',
  type: 'QR_CODE',
  medianSeconds: 7,
  description: 'Draws a QR code in an art style. 0 credits.',
  required: ['content', 'style'],
  fields: {
    content: text('What the code says, for example an address.'),
    style: group('The look.', ['art_style'], { art_style: text('The art style, in words.') }),
  },
  examples: [{ content: 'https://example.com', style: { art_style: 'Watercolor' } }],
});

/** Of the thirteen listed image tools, the six that follow a prompt. */
export const imagePromptTools: readonly Tool[] = [
  aiGifGenerator,
  aiHeadshotGenerator,
  aiImageEditor,
  aiImageGenerator,
  aiMemeGenerator,
  aiQrCodeGenerator,
];
