// ai-image-generator: pictures from a prompt (facts.md, Body fields of every creation endpoint).
import { entryOf, fieldOf, type JsonObject } from '../../base/json.ts';
import { choice, group, imageResolution, listed, openList, text } from '../fields.ts';
import { imageModelChoice, imageModels } from '../image-models.ts';
import { includes, type Range, resolutionBreaches, spansText } from '../models.ts';
import { imagesExample } from '../price-rule.ts';
import type { Rule, RuleBreach } from '../rules.ts';
import { eachPrompt, itemPrompt } from '../starter.ts';
import { listedTool } from '../tool.ts';

const fitsImageModel: Rule = {
  says: 'The model must generate images, and support their number and the resolution.',
  check: imageModelBreaches,
};

export const aiImageGenerator = listedTool({
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
      maximum: 16,
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
      prompt: text('A description of the picture.', { minLength: 1 }),
      quality_mode: choice('Older setting for the quality.', 'pro', 'standard'),
      tool: openList('A preset from the service’s hub.', ...imagePresets()),
    }),
  },
  models: imageModelChoice('counts', ['seedream']),
  rules: [fitsImageModel],
  price: { kind: 'images', role: 'counts', unpriced: ['style.quality_mode'] },
  priceExamples: [
    imagesExample(1, 'flux-schnell', '640px'),
    imagesExample(4, 'flux-schnell', '640px'),
    imagesExample(1, 'nano-banana-pro', '1k'),
  ],
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
  starter: eachPrompt(
    `model: flux-schnell # the model decides the price: shotlist tools ai-image-generator
resolution: 640px
aspect_ratio: "1:1"
image_count: 1
style: { prompt: "${itemPrompt}" }`,
    ['lighthouse', 'a lighthouse in a storm, oil on canvas'],
    ['harbor', 'a small harbor at dawn, fishing boats going out'],
  ),
});

function imageModelBreaches(body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  const model = entryOf(imageModels, name);
  if (model === undefined) return [];
  if (model.counts === undefined)
    return [
      {
        field: 'model',
        message: `${name} cannot generate images, only edit them: choose another model`,
      },
    ];
  const count = fieldOf(body, 'image_count');
  return [
    ...resolutionBreaches(`${name}`, fieldOf(body, 'resolution'), [...model.resolutions, 'auto']),
    ...(typeof count === 'number' && !includes(model.counts, count)
      ? [countBreach(`${name}`, model.counts, count)]
      : []),
  ];
}

const countBreach = (name: string, counts: readonly Range[], count: number): RuleBreach => ({
  field: 'image_count',
  message: `${name} makes ${spansText(counts)} images per request, not ${count}`,
});

/** Presets that the types of the public client list. */
function imagePresets(): readonly string[] {
  return listed(`
    ai-anime-generator | ai-art-generator | ai-background-generator | ai-character-generator |
    ai-face-generator | ai-fashion-generator | ai-icon-generator | ai-illustration-generator |
    ai-interior-design-generator | ai-landscape-generator | ai-logo-generator | ai-manga-generator |
    ai-outfit-generator | ai-pattern-generator | ai-photo-generator | ai-sketch-generator |
    ai-tattoo-generator | album-cover-generator | animated-characters-generator |
    architecture-generator | book-cover-generator | comic-book-generator | dark-fantasy-ai |
    disney-ai-generator | dnd-ai-art-generator | emoji-generator | fantasy-map-generator | general |
    graffiti-generator | movie-poster-generator | optical-illusion-generator | pokemon-generator |
    south-park-character-generator | superhero-generator | thumbnail-maker
  `);
}
