// body-swap: another person in a scene (facts.md, Body fields of every creation endpoint).
import { choice, group, picture } from '../fields.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const bodySwap = listedTool({
  name: 'body-swap',
  title: 'Put a person into a scene',
  record: 'image',
  type: 'BODY_SWAP',
  medianSeconds: 38,
  description: 'Replaces the person in a scene with another person. 100 credits.',
  required: ['assets', 'resolution'],
  fields: {
    resolution: choice('Output resolution.', '640px', '1k', '2k', '4k'),
    assets: group('The person and the scene.', ['person_file_path', 'scene_file_path'], {
      person_file_path: picture('The picture of the new person.'),
      scene_file_path: picture('The picture of the scene.'),
    }),
  },
  // Another source says "from 50". If sources differ, the higher price counts.
  price: { kind: 'flat', credits: 100 },
  priceExamples: [{ of: 'a picture', body: { resolution: '640px' } }],
  examples: [
    {
      resolution: '640px',
      assets: { person_file_path: 'asset:image', scene_file_path: 'asset:image' },
    },
  ],
  starter: eachFile(
    'image',
    `resolution: 640px
assets:
  person_file_path: ${photoPath}
  scene_file_path: \${{ steps.scene.file_path }}`,
    { name: 'scene', media: 'image', description: 'The picture of the scene.' },
  ),
});
