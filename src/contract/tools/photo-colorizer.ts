// photo-colorizer: colors a black-and-white photo (facts.md, Body fields of every creation endpoint).
import { group, picture } from '../fields.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const photoColorizer = listedTool({
  name: 'photo-colorizer',
  title: 'Color a black-and-white photo',
  record: 'image',
  type: 'PHOTO_COLORIZER',
  medianSeconds: 9,
  description: 'Colorizes a black-and-white photo. 10 credits.',
  required: ['assets'],
  fields: {
    assets: group('The photo.', ['image_file_path'], {
      image_file_path: picture('The photo to colorize.'),
    }),
  },
  price: { kind: 'flat', credits: 10 },
  priceExamples: [{ of: 'a photo', body: {} }],
  examples: [{ assets: { image_file_path: 'asset:image' } }],
  starter: eachFile('image', `assets: { image_file_path: "${photoPath}" }`),
});
