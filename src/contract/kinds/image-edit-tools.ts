// The image tools that change a picture or put two together (facts.md, Body fields of every
// creation endpoint). face-swap-photo has a file of its own; what a prompt says is in
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
  description: 'Puts the garment of one picture on the person of another. 25 credits.',
  required: ['assets'],
  fields: {
    assets: group('What goes in.', ['garment_file_path', 'person_file_path'], {
      person_file_path: picture('The person.'),
      garment_file_path: picture('The garment.'),
      garment_type: choice(
        'What the garment covers.',
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
  title: 'Change the expression of a face',
  record: 'image',
  type: 'FACE_EDITOR',
  medianSeconds: 3,
  description: 'Moves the features of a face. 1 credit.',
  required: ['assets', 'style'],
  fields: {
    assets: group('What goes in.', ['image_file_path'], {
      image_file_path: picture('The portrait.'),
    }),
    style: group('How the features move.', [], {
      enhance_face: flag('Sharpen the face as well.'),
      eye_gaze_horizontal: slider('Gaze, across'),
      eye_gaze_vertical: slider('Gaze, up and down'),
      eye_open_ratio: slider('How open the eyes are'),
      eyebrow_direction: slider('Eyebrows'),
      head_pitch: slider('Nod of the head'),
      head_roll: slider('Tilt of the head'),
      head_yaw: slider('Turn of the head'),
      lip_open_ratio: slider('How open the lips are'),
      mouth_grim: slider('Grim mouth'),
      mouth_position_horizontal: slider('Mouth, across'),
      mouth_position_vertical: slider('Mouth, up and down'),
      mouth_pout: slider('Pout'),
      mouth_purse: slider('Pursed mouth'),
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
  description: 'Enlarges a picture and its detail.',
  required: ['assets', 'scale_factor'],
  fields: {
    scale_factor: number('How many times larger: 2, or 4 on paid plans.', { enum: [2, 4] }),
    assets: group('What goes in.', ['image_file_path'], {
      image_file_path: picture('The picture to enlarge.'),
    }),
    style: group('How freely detail is added.', [], {
      mode: choice(
        'It decides the price: `balanced` when omitted; `pro` means `preserve`.',
        'balanced',
        'creative',
        'preserve',
        'pro',
      ),
      enhancement: choice('Older form of mode.', 'Balanced', 'Creative', 'Resemblance'),
      prompt: text('What the picture shows, in words.'),
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
  description: 'Replaces the person of a scene by another. 100 credits.',
  required: ['assets', 'resolution'],
  fields: {
    resolution: choice('Output resolution.', '640px', '1k', '2k', '4k'),
    assets: group('What goes in.', ['person_file_path', 'scene_file_path'], {
      person_file_path: picture('The person.'),
      scene_file_path: picture('The scene.'),
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
  description: 'Puts the head of one picture on the body of another. 10 credits.',
  required: ['assets'],
  fields: {
    max_resolution: integer('Upper bound of the output’s size; clamped, not refused.'),
    assets: group('What goes in.', ['body_file_path', 'head_file_path'], {
      body_file_path: picture('The body.'),
      head_file_path: picture('The head.'),
    }),
  },
  examples: [{ assets: { body_file_path: 'asset:image', head_file_path: 'asset:image' } }],
});

const imageBackgroundRemover = listedTool({
  name: 'image-background-remover',
  title: 'Cut out a picture’s subject',
  record: 'image',
  type: 'BACKGROUND_REMOVER',
  medianSeconds: 4,
  description: 'Removes the background of a picture, or puts another behind it. 5 credits.',
  required: ['assets'],
  fields: {
    assets: group('What goes in.', ['image_file_path'], {
      image_file_path: picture('The picture to cut out.'),
      background_image_file_path: picture('What to put behind it.'),
    }),
  },
  examples: [
    { assets: { image_file_path: 'asset:image' } },
    { assets: { image_file_path: 'asset:image', background_image_file_path: 'asset:image' } },
  ],
});

const photoColorizer = listedTool({
  name: 'photo-colorizer',
  title: 'Colour a black-and-white photo',
  record: 'image',
  type: 'PHOTO_COLORIZER',
  medianSeconds: 9,
  description: 'Gives a black-and-white photo its colours. 10 credits.',
  required: ['assets'],
  fields: {
    assets: group('What goes in.', ['image_file_path'], {
      image_file_path: picture('The photo to colour.'),
    }),
  },
  examples: [{ assets: { image_file_path: 'asset:image' } }],
});

/** Of the thirteen listed image tools, the seven that change pictures. */
export const imageEditTools: readonly Tool[] = [
  aiClothesChanger,
  aiFaceEditor,
  aiImageUpscaler,
  bodySwap,
  headSwap,
  imageBackgroundRemover,
  photoColorizer,
];
