// The image tools that change a picture or combine two (facts.md, Body fields of every creation
// endpoint). face-swap-photo has a file of its own; tools that follow a prompt are in
// image-prompt-tools.ts.
import type { Schema } from '../base/schema.ts';
import { imageAsset } from './fields.ts';
import type { Tool } from './kind.ts';
import { choice, flag, group, integer, listedTool, number, text } from './listed-tool.ts';

const picture = (description: string): Schema => ({ ...imageAsset, description });

const aiClothesChanger = listedTool({
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
  examples: [
    {
      assets: {
        person_file_path: 'asset:image',
        garment_file_path: 'asset:image',
        garment_type: 'upper_body',
      },
    },
  ],
});

// facts.md, Ranges published: -100 to 100 in steps of 5.
const slider = (what: string): Schema =>
  number(`${what}: -100 to 100 in steps of 5.`, { minimum: -100, maximum: 100, multipleOf: 5 });

const aiFaceEditor = listedTool({
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
  examples: [
    { assets: { image_file_path: 'asset:image' }, style: { mouth_smile: 50, head_yaw: -15 } },
  ],
});

const aiImageUpscaler = listedTool({
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
  examples: [
    { scale_factor: 2, assets: { image_file_path: 'asset:image' }, style: { mode: 'preserve' } },
  ],
});

const bodySwap = listedTool({
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
  examples: [
    {
      resolution: '640px',
      assets: { person_file_path: 'asset:image', scene_file_path: 'asset:image' },
    },
  ],
});

const headSwap = listedTool({
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
  examples: [{ assets: { body_file_path: 'asset:image', head_file_path: 'asset:image' } }],
});

const imageBackgroundRemover = listedTool({
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
  examples: [
    { assets: { image_file_path: 'asset:image' } },
    { assets: { image_file_path: 'asset:image', background_image_file_path: 'asset:image' } },
  ],
});

const photoColorizer = listedTool({
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
  examples: [{ assets: { image_file_path: 'asset:image' } }],
});

/** The seven of the thirteen listed image tools that change pictures. */
export const imageEditTools: readonly Tool[] = [
  aiClothesChanger,
  aiFaceEditor,
  aiImageUpscaler,
  bodySwap,
  headSwap,
  imageBackgroundRemover,
  photoColorizer,
];
