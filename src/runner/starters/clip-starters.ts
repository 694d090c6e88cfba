// The starters for clips and for sounds, in the order in which `init` proposes them.
import { clip, face, files, input, sound, voice } from './make-starter.ts';
import type { Starter } from './starter.ts';

const part = `start_seconds: 0 # the part of the clip; a longer part costs more
end_seconds: 2`;

export const clipStarters: readonly Starter[] = [
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

export const soundStarters: readonly Starter[] = [
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
