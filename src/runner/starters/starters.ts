// A starter for each tool.

import type { MediaType } from '../../contract/api/asset.ts';
import type { Starter, StarterInput } from './starter.ts';

// Short ways to write a starter down.

const input = (name: string, media: MediaType, description: string): StarterInput => ({
  ...{ name, media, description },
});

/** Applies a tool to each file. */
const files = (
  of: MediaType,
  tool: string,
  body: string,
  ...inputs: readonly StarterInput[]
): Starter => ({ tool, of, inputs, prompts: [], body });

/** Applies a tool to each text. */
const texts = (
  tool: string,
  body: string,
  ...prompts: readonly (readonly [string, string])[]
): Starter => ({ tool, of: 'prompt', inputs: [], prompts, body });

const photo = '${{ steps.photo.file_path }}';
const clip = '${{ steps.clip.file_path }}';
const sound = '${{ steps.sound.file_path }}';
const prompt = '${{ item.prompt }}';
const face = input('face', 'image', 'The photo with the new face.');
const voice = input('voice', 'audio', 'The speech.');

// The starters for tools that need no files, in the order in which `init` proposes them.

const promptStarters: readonly Starter[] = [
  texts(
    'ai-image-generator',
    `model: flux-schnell # the model decides the price: shotlist tools ai-image-generator
resolution: 640px
aspect_ratio: "1:1"
image_count: 1
style: { prompt: "${prompt}" }`,
    ['lighthouse', 'a lighthouse in a storm, oil on canvas'],
    ['harbor', 'a small harbor at dawn, fishing boats going out'],
  ),
  texts(
    'text-to-video',
    `model: ltx-2.3 # the model, the resolution and the seconds decide the price
resolution: 480p
aspect_ratio: "16:9"
end_seconds: 3 # the length of the video
style: { prompt: "${prompt}" }`,
    ['harbor', 'a small harbor at dawn, fishing boats going out'],
    ['tram', 'a yellow tram climbs a steep street in the rain'],
  ),
  texts(
    'ai-gif-generator',
    `output_format: gif # or mp4, webm
style: { prompt: "${prompt}" }`,
    ['cup', 'a cat knocks over a cup'],
    ['wave', 'a robot waves hello'],
  ),
  texts(
    'ai-meme-generator',
    `style: { template: Random, topic: "${prompt}" } # templates: shotlist tools ai-meme-generator`,
    ['monday', 'Monday morning meetings'],
    ['deploy', 'deploying on a Friday'],
  ),
  texts(
    'ai-qr-code-generator',
    `content: ${prompt}
style: { art_style: Watercolor }`,
    ['home', 'https://example.com'],
    ['menu', 'https://example.com/menu'],
  ),
  texts(
    'ai-voice-generator',
    `style: { voice_name: Morgan Freeman, prompt: "${prompt}" }`,
    ['welcome', 'Welcome! Please take a seat.'],
    ['goodbye', 'Thank you for your visit. See you soon.'],
  ),
  texts(
    'animation',
    `end_seconds: 2 # the length of the video
fps: 12
width: 512
height: 512
assets: { audio_source: none } # or file, with audio_file_path
style:
  art_style: Painterly Illustration
  camera_effect: Simple Zoom In
  transition_speed: 5
  prompt_type: custom
  prompt: ${prompt}`,
    ['lighthouse', 'a lighthouse in a storm'],
    ['forest', 'a path through a forest in autumn'],
  ),
];

// The starters for photos, in the order in which `init` proposes them.

const photoStarters: readonly Starter[] = [
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

// The starters for clips and for sounds, in the order in which `init` proposes them.

const part = `start_seconds: 0 # the part of the clip; a longer part costs more
end_seconds: 2`;

const clipStarters: readonly Starter[] = [
  files(
    'video',
    'auto-subtitle-generator',
    `${part}
style: { template: cinematic } # or highlight, karaoke, minimalist
assets: { video_file_path: "${clip}" }`,
  ),
  files(
    'video',
    'ai-video-editor',
    `${part}
model: ltx-2.3
resolution: 480p
style: { prompt: make it snow }
assets: { video_file_path: "${clip}" }`,
  ),
  files(
    'video',
    'face-swap',
    `${part}
assets:
  face_swap_mode: all-faces
  video_source: file
  video_file_path: ${clip}
  image_file_path: \${{ steps.face.file_path }}`,
    face,
  ),
  files(
    'video',
    'character-replace',
    `${part}
resolution: 480p
assets:
  video_file_path: ${clip}
  image_file_path: \${{ steps.character.file_path }}`,
    input('character', 'image', 'The picture of the character.'),
  ),
  files(
    'video',
    'lip-sync',
    `${part}
style: { generation_mode: lite } # or standard, pro
assets:
  video_source: file
  video_file_path: ${clip}
  audio_file_path: \${{ steps.voice.file_path }}`,
    voice,
  ),
  files(
    'video',
    'video-to-video',
    `${part}
style: { art_style: Watercolor }
assets: { video_source: file, video_file_path: "${clip}" }`,
  ),
];

const soundStarters: readonly Starter[] = [
  files(
    'audio',
    'audio-to-video',
    `start_seconds: 0 # the part of the sound; a longer part costs more
end_seconds: 2
resolution: 480p
style: { prompt: waves on a beach at dawn }
assets: { audio_file_path: "${sound}" }`,
  ),
  files(
    'audio',
    'ai-voice-cloner',
    `style: { prompt: "Hello, how are you?" } # the text that the voice speaks
assets: { audio_file_path: "${sound}" }`,
  ),
];

export const starters: readonly Starter[] = [
  ...photoStarters,
  ...clipStarters,
  ...soundStarters,
  ...promptStarters,
];
