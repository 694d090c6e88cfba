// ai-image-editor: edits pictures as a prompt says (facts.md, Body fields of every creation endpoint).
import { entryOf, fieldOf, type JsonObject } from '../../base/json.ts';
import { choice, group, imageAsset, imageResolution, openList, text } from '../fields.ts';
import { imageModelChoice, imageModels } from '../image-models.ts';
import { resolutionBreaches } from '../models.ts';
import { imagesExample } from '../price-rule.ts';
import type { Rule, RuleBreach } from '../rules.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

const fitsImageEditModel: Rule = {
  says: 'Set at least one image. The model must edit images, and support their number and the resolution.',
  check: imageEditModelBreaches,
};

export const aiImageEditor = listedTool({
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
  models: imageModelChoice('inputs'),
  rules: [fitsImageEditModel],
  // One image if image_count is missing, by the documentation of the public clients.
  price: { kind: 'images', role: 'inputs', usualCount: 1, unpriced: ['style.model'] },
  priceExamples: [
    imagesExample(1, 'qwen-edit', '640px'),
    imagesExample(4, 'qwen-edit', '640px'),
    imagesExample(1, 'nano-banana-pro', '1k'),
  ],
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
  starter: eachFile(
    'image',
    `model: qwen-edit # the model decides the price: shotlist tools ai-image-editor
resolution: 640px
image_count: 1
style: { prompt: make it a watercolor }
assets: { image_file_paths: ["${photoPath}"] }`,
  ),
});

function imageEditModelBreaches(body: JsonObject): readonly RuleBreach[] {
  const name = fieldOf(body, 'model');
  const model = entryOf(imageModels, name);
  const one = fieldOf(body, 'assets.image_file_path');
  const list = fieldOf(body, 'assets.image_file_paths');
  // An expression stands for a list whose length is not known yet.
  const listed = Array.isArray(list) ? list.length : undefined;
  const breaches: RuleBreach[] = [];
  if (one === undefined && (list === undefined || listed === 0))
    breaches.push({
      field: 'assets',
      message: 'there is no image to edit: set image_file_path or image_file_paths',
    });
  if (model === undefined) return breaches;
  if (model.inputs === undefined)
    breaches.push({
      field: 'model',
      message: `${name} cannot edit images, only generate them: choose another model`,
    });
  const given = (listed ?? 0) + (one === undefined ? 0 : 1);
  if (model.inputs !== undefined && given > model.inputs)
    breaches.push({
      field: 'assets.image_file_paths',
      message: `${name} edits at most ${model.inputs} images together, not ${given}`,
    });
  const resolutions = [...model.resolutions, 'auto'];
  breaches.push(...resolutionBreaches(`${name}`, fieldOf(body, 'resolution'), resolutions));
  return breaches;
}
