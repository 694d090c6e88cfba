// What the documents list of the 27 tools, written out a second time: the catalogue is held to it.
import type { RecordKind } from '../../../src/contract/api/project.ts';

/** interface.md, What the service does: each creation endpoint and its median time. */
export const endpoints: Readonly<Record<string, string>> = {
  'ai-talking-photo': '2m 54s',
  'ai-video-editor': '1m 25s',
  animation: '9m 56s',
  'audio-to-video': '1m 57s',
  'auto-subtitle-generator': '45s',
  'character-replace': '7m 26s',
  'face-swap': '1m 36s',
  'image-to-video': '1m 14s',
  'lip-sync': '3m 49s',
  'text-to-video': '51s',
  'video-to-video': '12m 52s',
  'ai-clothes-changer': '13s',
  'ai-face-editor': '3s',
  'ai-gif-generator': '23s',
  'ai-headshot-generator': '14s',
  'ai-image-editor': '9s',
  'ai-image-generator': '5s',
  'ai-image-upscaler': '22s',
  'ai-meme-generator': '9s',
  'ai-qr-code-generator': '7s',
  'body-swap': '38s',
  'face-swap-photo': '4s',
  'head-swap': '18s',
  'image-background-remover': '4s',
  'photo-colorizer': '9s',
  'ai-voice-generator': '21s',
  'ai-voice-cloner': '21s',
};

/** facts.md, Project records: the `type` values of video, image and audio records. */
export const types: Readonly<Record<RecordKind, string>> = {
  video:
    'ANIMATION AUTO_SUBTITLE VIDEO_TO_VIDEO FACE_SWAP TEXT_TO_VIDEO IMAGE_TO_VIDEO LIP_SYNC ' +
    'TALKING_PHOTO VIDEO_EDITOR CHARACTER_REPLACE AUDIO_TO_VIDEO',
  image:
    'FACE_EDITOR AI_IMAGE_EDITOR AI_HEADSHOT AI_IMAGE AI_MEME CLOTHES_CHANGER ' +
    'BACKGROUND_REMOVER FACE_SWAP IMAGE_UPSCALER AI_GIF QR_CODE PHOTO_COLORIZER HEAD_SWAP ' +
    'BODY_SWAP',
  audio: 'VOICE_GENERATOR VOICE_CLONER',
};

/** facts.md, Body fields: what is required, and so is every group that holds a required field. */
export const required: Readonly<Record<string, string>> = {
  'ai-talking-photo': 'assets.audio_file_path assets.image_file_path end_seconds start_seconds',
  'ai-video-editor': 'assets.video_file_path end_seconds style.prompt',
  animation:
    'assets.audio_source end_seconds fps height style.art_style style.camera_effect ' +
    'style.prompt_type style.transition_speed width',
  'audio-to-video': 'assets.audio_file_path end_seconds',
  'auto-subtitle-generator': 'assets.video_file_path end_seconds start_seconds',
  'character-replace':
    'assets.image_file_path assets.video_file_path end_seconds style.points.0.position_x ' +
    'style.points.0.position_y style.points.0.time_seconds',
  'face-swap':
    'assets.face_mappings.0.new_face assets.face_mappings.0.original_face assets.video_source ' +
    'end_seconds start_seconds',
  'image-to-video': 'assets.image_file_path end_seconds',
  'lip-sync': 'assets.audio_file_path assets.video_source end_seconds start_seconds',
  'text-to-video': 'end_seconds style.prompt',
  'video-to-video': 'assets.video_source end_seconds start_seconds style.art_style',
  'ai-clothes-changer': 'assets.garment_file_path assets.person_file_path',
  'ai-face-editor': 'assets.image_file_path',
  'ai-gif-generator': 'style.prompt',
  'ai-headshot-generator': 'assets.image_file_path',
  'ai-image-editor': 'style.prompt',
  'ai-image-generator': 'image_count style.prompt',
  'ai-image-upscaler': 'assets.image_file_path scale_factor',
  'ai-meme-generator': 'style.template style.topic',
  'ai-qr-code-generator': 'content style.art_style',
  'body-swap': 'assets.person_file_path assets.scene_file_path resolution',
  'face-swap-photo':
    'assets.face_mappings.0.new_face assets.face_mappings.0.original_face assets.target_file_path',
  'head-swap': 'assets.body_file_path assets.head_file_path',
  'image-background-remover': 'assets.image_file_path',
  'photo-colorizer': 'assets.image_file_path',
  'ai-voice-generator': 'style.prompt style.voice_name',
  'ai-voice-cloner': 'assets.audio_file_path style.prompt',
};

/** models.md, Other tools: groups that are required, though none of their fields is. */
export const requiredGroups: Readonly<Record<string, readonly string[]>> = {
  'ai-face-editor': ['style'],
  'auto-subtitle-generator': ['style'],
  'ai-image-editor': ['assets'],
};
