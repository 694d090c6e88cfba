// ai-face-editor: moves the features of a face (facts.md, Body fields of every creation endpoint).
import type { Schema } from '../../base/schema.ts';
import { flag, group, number, picture } from '../fields.ts';
import { eachFile, photoPath } from '../starter.ts';
import { listedTool } from '../tool.ts';

// facts.md, Ranges published: -100 to 100 in steps of 5.
const slider = (what: string): Schema =>
  number(`${what}: -100 to 100 in steps of 5.`, { minimum: -100, maximum: 100, multipleOf: 5 });

export const aiFaceEditor = listedTool({
  name: 'ai-face-editor',
  title: 'Change a face’s expression',
  record: 'image',
  type: 'FACE_EDITOR',
  medianSeconds: 3,
  description: 'Moves the features of a face. 1 credit.',
  required: ['assets', 'style'],
  fields: {
    assets: group('The portrait.', ['image_file_path'], {
      image_file_path: picture('The portrait.'),
    }),
    style: group('How the features move.', [], {
      enhance_face: flag('Whether to sharpen the face, too.'),
      eye_gaze_horizontal: slider('Horizontal gaze'),
      eye_gaze_vertical: slider('Vertical gaze'),
      eye_open_ratio: slider('How open the eyes are'),
      eyebrow_direction: slider('Position of the eyebrows'),
      head_pitch: slider('Pitch of the head (nodding)'),
      head_roll: slider('Roll of the head (tilting)'),
      head_yaw: slider('Yaw of the head (turning)'),
      lip_open_ratio: slider('How open the lips are'),
      mouth_grim: slider('Grimness of the mouth'),
      mouth_position_horizontal: slider('Horizontal position of the mouth'),
      mouth_position_vertical: slider('Vertical position of the mouth'),
      mouth_pout: slider('Pout'),
      mouth_purse: slider('Pursing of the mouth'),
      mouth_smile: slider('Smile'),
    }),
  },
  price: { kind: 'flat', credits: 1 },
  priceExamples: [{ of: 'a picture', body: {} }],
  examples: [
    { assets: { image_file_path: 'asset:image' }, style: { mouth_smile: 50, head_yaw: -15 } },
  ],
  starter: eachFile(
    'image',
    `style: { mouth_smile: 50 } # from -100 to 100, in steps of 5
assets: { image_file_path: "${photoPath}" }`,
  ),
});
