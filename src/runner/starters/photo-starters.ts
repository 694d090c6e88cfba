// The starters for photos, in the order in which `init` proposes them.
import { face, files, input, photo, voice } from './make-starter.ts';
import type { Starter } from './starter.ts';

export const photoStarters: readonly Starter[] = [
  files('image', 'image-background-remover', `assets: { image_file_path: "${photo}" }`),
  files(
    'image',
    'ai-image-upscaler',
    `scale_factor: 2 # 4 on paid plans
style: { mode: preserve } # or balanced, creative: they invent more detail, and cost more
assets: { image_file_path: "${photo}" }`,
  ),
  files('image', 'photo-colorizer', `assets: { image_file_path: "${photo}" }`),
  files(
    'image',
    'ai-headshot-generator',
    `style: { prompt: a friendly portrait in front of a light grey wall }
assets: { image_file_path: "${photo}" }`,
  ),
  files(
    'image',
    'face-swap-photo',
    `assets:
  face_swap_mode: all-faces # every face in the photo; individual-faces takes a list
  target_file_path: ${photo}
  source_file_path: \${{ steps.face.file_path }}`,
    face,
  ),
  files(
    'image',
    'ai-image-editor',
    `model: qwen-edit # the model decides the price: shotlist tools ai-image-editor
resolution: 640px
image_count: 1
style: { prompt: make it a watercolor }
assets: { image_file_paths: ["${photo}"] }`,
  ),
  files(
    'image',
    'image-to-video',
    `model: ltx-2.3 # the model, the resolution and the seconds decide the price
resolution: 480p
end_seconds: 3 # the length of the video
style: { prompt: the camera pulls back slowly }
assets: { image_file_path: "${photo}" }`,
  ),
  files(
    'image',
    'ai-face-editor',
    `style: { mouth_smile: 50 } # from -100 to 100, in steps of 5
assets: { image_file_path: "${photo}" }`,
  ),
  files(
    'image',
    'ai-clothes-changer',
    `assets:
  garment_type: upper_body # or lower_body, dresses, entire_outfit
  person_file_path: ${photo}
  garment_file_path: \${{ steps.garment.file_path }}`,
    input('garment', 'image', 'The picture of the garment.'),
  ),
  files(
    'image',
    'body-swap',
    `resolution: 640px
assets:
  person_file_path: ${photo}
  scene_file_path: \${{ steps.scene.file_path }}`,
    input('scene', 'image', 'The picture of the scene.'),
  ),
  files(
    'image',
    'head-swap',
    `assets:
  body_file_path: ${photo}
  head_file_path: \${{ steps.head.file_path }}`,
    input('head', 'image', 'The picture of the head.'),
  ),
  files(
    'image',
    'ai-talking-photo',
    `start_seconds: 0 # the part of the speech that the photo says
end_seconds: 3
style: { generation_mode: realistic }
assets:
  image_file_path: ${photo}
  audio_file_path: \${{ steps.voice.file_path }}`,
    voice,
  ),
];
