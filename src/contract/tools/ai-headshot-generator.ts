// ai-headshot-generator: a professional portrait from a selfie (facts.md, Body fields of every creation endpoint).
import { group, imageAsset, text } from '../fields.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const aiHeadshotGenerator = listedTool({
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
  sizeLimit: { longest: 1344 },
  price: { kind: 'flat', credits: 50 },
  priceExamples: [{ of: 'a portrait', body: {} }],
  examples: [
    { assets: { image_file_path: 'asset:image' } },
    { assets: { image_file_path: 'asset:image' }, style: { prompt: 'grey background' } },
  ],
  starter: eachFile(
    'image',
    `style: { prompt: a friendly portrait in front of a light grey wall }
assets: { image_file_path: "${photoPath}" }`,
  ),
});
