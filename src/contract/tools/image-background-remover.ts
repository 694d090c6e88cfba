// image-background-remover: removes or replaces the background of a picture (facts.md, Body fields of every creation endpoint).
import { group, picture } from '../fields.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const imageBackgroundRemover = listedTool({
  name: 'image-background-remover',
  title: 'Remove a picture’s background',
  record: 'image',
  type: 'BACKGROUND_REMOVER',
  medianSeconds: 4,
  description: 'Removes the background of a picture, or replaces it with another. 5 credits.',
  required: ['assets'],
  fields: {
    assets: group('The picture.', ['image_file_path'], {
      image_file_path: picture('The picture whose background to remove.'),
      background_image_file_path: picture('The new background.'),
    }),
  },
  price: { kind: 'flat', credits: 5 },
  priceExamples: [{ of: 'a picture', body: {} }],
  examples: [
    { assets: { image_file_path: 'asset:image' } },
    { assets: { image_file_path: 'asset:image', background_image_file_path: 'asset:image' } },
  ],
  starter: eachFile('image', `assets: { image_file_path: "${photoPath}" }`),
});
