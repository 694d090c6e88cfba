// ai-image-upscaler: enlarges a picture (facts.md, Body fields of every creation endpoint).
import { choice, group, number, picture, text } from '../fields.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const aiImageUpscaler = listedTool({
  name: 'ai-image-upscaler',
  title: 'Make a picture larger',
  record: 'image',
  type: 'IMAGE_UPSCALER',
  medianSeconds: 22,
  description: 'Enlarges a picture and adds detail.',
  required: ['assets', 'scale_factor'],
  fields: {
    scale_factor: number('How many times to enlarge the picture: 2, or on paid plans also 4.', {
      enum: [2, 4],
    }),
    assets: group('The picture.', ['image_file_path'], {
      image_file_path: picture('The picture to enlarge.'),
    }),
    style: group('How freely the tool adds detail.', [], {
      mode: choice(
        'How freely the tool adds detail. Decides the price. `balanced` if omitted; `pro` means `preserve`.',
        'balanced',
        'creative',
        'preserve',
        'pro',
      ),
      enhancement: choice('Older name of mode.', 'Balanced', 'Creative', 'Resemblance'),
      prompt: text('A description of the picture.'),
    }),
  },
  paidOnly: { field: 'scale_factor', value: 4, instead: '2 only' },
  // The size of an enlarged picture follows from its factor: models.md names no limit.
  sizeLimit: 'none',
  price: {
    kind: 'upscale',
    usualMode: 'balanced',
    modes: {
      preserve: { '2': 25, '4': 100 },
      pro: { '2': 25, '4': 100 },
      balanced: { '2': 50, '4': 200 },
      creative: { '2': 50, '4': 200 },
    },
  },
  priceExamples: [
    { of: 'a picture at 2×, preserve', body: { scale_factor: 2, style: { mode: 'preserve' } } },
    { of: 'a picture at 2×, balanced', body: { scale_factor: 2 } },
    { of: 'a picture at 4×, balanced', body: { scale_factor: 4 } },
  ],
  examples: [
    { scale_factor: 2, assets: { image_file_path: 'asset:image' }, style: { mode: 'preserve' } },
  ],
  starter: eachFile(
    'image',
    `scale_factor: 2 # 4 on paid plans
style: { mode: preserve } # or balanced, creative: they invent more detail, and cost more
assets: { image_file_path: "${photoPath}" }`,
  ),
});
