// head-swap: the head from one picture on the body in another (facts.md, Body fields of every creation endpoint).
import { group, integer, picture } from '../fields.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const headSwap = listedTool({
  name: 'head-swap',
  title: 'Put a head on another body',
  record: 'image',
  type: 'HEAD_SWAP',
  medianSeconds: 18,
  description: 'Puts the head from one picture on the body in another. 10 credits.',
  required: ['assets'],
  fields: {
    max_resolution: integer(
      'Upper bound of the output size. A larger value is lowered, not refused.',
    ),
    assets: group('The body and the head.', ['body_file_path', 'head_file_path'], {
      body_file_path: picture('The picture of the body.'),
      head_file_path: picture('The picture of the head.'),
    }),
  },
  price: { kind: 'flat', credits: 10 },
  priceExamples: [{ of: 'a picture', body: {} }],
  examples: [{ assets: { body_file_path: 'asset:image', head_file_path: 'asset:image' } }],
  starter: eachFile(
    'image',
    `assets:
  body_file_path: ${photoPath}
  head_file_path: \${{ steps.head.file_path }}`,
    { name: 'head', media: 'image', description: 'The picture of the head.' },
  ),
});
