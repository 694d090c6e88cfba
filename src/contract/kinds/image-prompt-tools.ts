// The image tools that make or edit a picture from a prompt (facts.md, Body fields of every
// creation endpoint).
import { imageAsset } from './fields.ts';
import type { Tool } from './kind.ts';
import { imagePresets } from './known-values.ts';
import { choice, flag, group, listedTool, openList, text } from './listed-tool.ts';
import { fitsImageEditModel, fitsImageModel } from './model-rules.ts';

const mostImages = 16;
const nonEmpty = { minLength: 1 };
const imageResolution = choice('Output resolution.', '640px', '1k', '2k', '4k', 'auto');

const aiGifGenerator = listedTool({
  name: 'ai-gif-generator',
  title: 'Make a GIF from a prompt',
  record: 'image',
  type: 'AI_GIF',
  medianSeconds: 23,
  description: 'Makes a short animated picture from a prompt. 50 credits.',
  required: ['style'],
  fields: {
    output_format: choice('File format of the output.', 'gif', 'mp4', 'webm'),
    style: group('The content.', ['prompt'], {
      prompt: text('A description of the picture: up to 500 characters.', {
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
  title: 'Turn a selfie into a headshot',
  record: 'image',
  type: 'AI_HEADSHOT',
  medianSeconds: 14,
  description: 'Turns a picture of a person into a professional portrait. 50 credits.',
  required: ['assets'],
  fields: {
    assets: group('The person.', ['image_file_path'], {
      image_file_path: { ...imageAsset, description: 'A picture of the person.' },
    }),
    style: group('The look.', [], { prompt: text('A description of the portrait.') }),
  },
  examples: [
    { assets: { image_file_path: 'asset:image' } },
    { assets: { image_file_path: 'asset:image' }, style: { prompt: 'grey background' } },
  ],
});

const aiImageEditor = listedTool({
  name: 'ai-image-editor',
  title: 'Edit pictures with a prompt',
  record: 'image',
  type: 'AI_IMAGE_EDITOR',
  medianSeconds: 9,
  description: 'Edits one picture, or up to 10 pictures together, as the prompt says.',
  required: ['assets', 'style'],
  fields: {
    aspect_ratio: choice(
      'Aspect ratio of the output.',
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
      description: 'The number of pictures to make.',
    },
    model: openList(
      'The model that edits the pictures. Decides the price.',
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
      image_file_path: { ...imageAsset, description: 'The picture to edit, if there is only one.' },
      image_file_paths: {
        type: 'array',
        maxItems: 10,
        description: 'The pictures to edit: up to 10.',
        items: { ...imageAsset, description: 'A picture to edit.' },
      },
    }),
    style: group('The edit.', ['prompt'], {
      prompt: text('A description of the edit: up to 15,000 characters.', {
        minLength: 1,
        maxLength: 15_000,
      }),
      model: choice('Older name of model.', 'default', 'Nano Banana', 'Seedream'),
    }),
  },
  rules: [fitsImageEditModel],
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
  title: 'Make pictures from a prompt',
  record: 'image',
  type: 'AI_IMAGE',
  medianSeconds: 5,
  description: 'Makes pictures from a prompt.',
  required: ['image_count', 'style'],
  fields: {
    image_count: {
      type: 'integer',
      minimum: 1,
      maximum: mostImages,
      description: 'The number of pictures to make. The maximum depends on the model.',
    },
    aspect_ratio: choice('Aspect ratio of the output.', '16:9', '1:1', '9:16'),
    orientation: choice('Older name of aspect_ratio.', 'landscape', 'portrait', 'square'),
    model: openList(
      'The model that makes the pictures. Decides the price.',
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
    style: group('The content.', ['prompt'], {
      prompt: text('A description of the picture.', nonEmpty),
      quality_mode: choice('Older setting for the quality.', 'pro', 'standard'),
      tool: openList('A preset from the service’s hub.', ...imagePresets),
    }),
  },
  rules: [fitsImageModel],
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
  description: 'Fills a meme template with a joke about a topic. 10 credits.',
  required: ['style'],
  fields: {
    style: group('The joke.', ['template', 'topic'], {
      template: openList(
        'The meme template.',
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
      topic: text('The topic of the joke: up to 200 characters.', { minLength: 1, maxLength: 200 }),
      searchWeb: flag('Whether to search the web for the topic first.'),
    }),
  },
  examples: [{ style: { template: 'Drake Hotline Bling', topic: 'the code finally works' } }],
});

const aiQrCodeGenerator = listedTool({
  name: 'ai-qr-code-generator',
  title: 'Make a QR code in an art style',
  record: 'image',
  type: 'QR_CODE',
  medianSeconds: 7,
  description: 'Makes a QR code in an art style. Free.',
  required: ['content', 'style'],
  fields: {
    content: text('The content of the code, for example an address.'),
    style: group('The look.', ['art_style'], {
      art_style: text('A description of the art style.'),
    }),
  },
  examples: [{ content: 'https://example.com', style: { art_style: 'Watercolor' } }],
});

/** The six of the thirteen listed image tools that follow a prompt. */
export const imagePromptTools: readonly Tool[] = [
  aiGifGenerator,
  aiHeadshotGenerator,
  aiImageEditor,
  aiImageGenerator,
  aiMemeGenerator,
  aiQrCodeGenerator,
];
