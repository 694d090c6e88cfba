// ai-clothes-changer: a person in one picture wears the garment from another (facts.md, Body fields of every creation endpoint).
import { choice, group, picture } from '../fields.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const aiClothesChanger = listedTool({
  name: 'ai-clothes-changer',
  title: 'Dress a person in a garment',
  record: 'image',
  type: 'CLOTHES_CHANGER',
  medianSeconds: 13,
  description: 'Dresses the person in one picture in the garment from another. 25 credits.',
  required: ['assets'],
  fields: {
    assets: group('The person and the garment.', ['garment_file_path', 'person_file_path'], {
      person_file_path: picture('The picture of the person.'),
      garment_file_path: picture('The picture of the garment.'),
      garment_type: choice(
        'The part of the body that the garment covers.',
        'dresses',
        'entire_outfit',
        'lower_body',
        'upper_body',
      ),
    }),
  },
  sizeLimit: { longest: 1472 },
  price: { kind: 'flat', credits: 25 },
  priceExamples: [{ of: 'a picture', body: {} }],
  examples: [
    {
      assets: {
        person_file_path: 'asset:image',
        garment_file_path: 'asset:image',
        garment_type: 'upper_body',
      },
    },
  ],
  starter: eachFile(
    'image',
    `assets:
  garment_type: upper_body # or lower_body, dresses, entire_outfit
  person_file_path: ${photoPath}
  garment_file_path: \${{ steps.garment.file_path }}`,
    { name: 'garment', media: 'image', description: 'The picture of the garment.' },
  ),
});
