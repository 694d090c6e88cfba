// The video tools that make a clip from a prompt, a picture, a voice or music (facts.md, Body
// fields of every creation endpoint).
import { clipSize } from './clip-fields.ts';
import { audioAsset, endSeconds, imageAsset, startSeconds } from './fields.ts';
import type { Tool } from './kind.ts';
import { animationStyles, cameraEffects } from './known-values.ts';
import { choice, flag, group, integer, listedTool, number, openList, text } from './listed-tool.ts';
import { fitsVideoModel } from './model-rules.ts';
import { animationIsGiven, endsAfterStart, sourceIsGiven, talksAtMost } from './rules.ts';

// Schema fields shared by the tools that generate video.

const length = { ...endSeconds, description: 'The length of the video, in seconds.' };

/** Shared by text-to-video and image-to-video: facts.md prices both by the same table. */
const generation = {
  end_seconds: { ...length, minimum: 1, maximum: 60 },
  audio: flag('Whether the video has sound; some models charge more for it.'),
  model: openList(
    'The model that generates the video. `default` changes over time.',
    'default',
    'ltx-2.3',
    'wan-2.2',
    'kling-2.6',
    'kling-3.0',
    'veo3.1-lite',
    'veo3.1',
    'seedance-1.5',
    'seedance-2.0-mini',
    'seedance-2.0',
    'seedance-2.5',
    'sora-2',
    'minimax-h3',
    'kling-2.5',
    'kling-2.5-audio',
    'veo3.1-audio',
    'ltx-2',
    'kling-1.6',
    'seedance',
  ),
  resolution: choice(
    'Output resolution. Not every model supports every resolution.',
    '480p',
    '720p',
    '1080p',
    '4k',
  ),
};

const qualityMode = choice('Older setting for the quality; see resolution.', 'quick', 'studio');

const aiTalkingPhoto = listedTool({
  name: 'ai-talking-photo',
  title: 'Make a photo talk',
  record: 'video',
  type: 'TALKING_PHOTO',
  medianSeconds: 174,
  description:
    'Animates a portrait so that it speaks an audio file: up to 180 seconds realistic, 45 prompted.',
  required: ['assets', 'end_seconds', 'start_seconds'],
  fields: {
    start_seconds: { ...startSeconds, description: 'Where the audio starts, in seconds.' },
    end_seconds: { ...endSeconds, description: 'Where the audio ends, in seconds.' },
    max_resolution: integer('Upper bound of the output size, in pixels.'),
    assets: group('The portrait and its voice.', ['audio_file_path', 'image_file_path'], {
      image_file_path: { ...imageAsset, description: 'The portrait.' },
      audio_file_path: { ...audioAsset, description: 'The speech.' },
    }),
    style: group('The motion.', [], {
      generation_mode: choice(
        'The kind of motion. Decides the price.',
        'expressive',
        'pro',
        'prompted',
        'realistic',
        'stable',
        'standard',
      ),
      intensity: number('The strength of the motion.'),
      prompt: text('A description of the motion.'),
    }),
  },
  rules: [endsAfterStart, talksAtMost],
  examples: [
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { image_file_path: 'asset:image', audio_file_path: 'asset:audio' },
      style: { generation_mode: 'realistic' },
    },
  ],
});

const animation = listedTool({
  name: 'animation',
  title: 'Animate a prompt or music',
  record: 'video',
  type: 'ANIMATION',
  medianSeconds: 596,
  description: 'Makes an animation in an art style, with music or without sound.',
  required: ['assets', 'end_seconds', 'fps', 'height', 'style', 'width'],
  fields: {
    end_seconds: length,
    fps: number('Frame rate of the output, in frames per second.', { minimum: 1 }),
    height: integer('Output height in pixels.', { minimum: 64 }),
    width: integer('Output width in pixels.', { minimum: 64 }),
    assets: group('The music and the first picture.', ['audio_source'], {
      audio_source: choice(
        '`file` requires audio_file_path; `youtube` requires youtube_url.',
        'file',
        'none',
        'youtube',
      ),
      audio_file_path: { ...audioAsset, description: 'The music, if audio_source is file.' },
      youtube_url: text('The address of the music, if audio_source is youtube.', { minLength: 1 }),
      image_file_path: { ...imageAsset, description: 'The picture that the video starts with.' },
    }),
    style: group('The look.', ['art_style', 'camera_effect', 'prompt_type', 'transition_speed'], {
      art_style: openList('The art style.', ...animationStyles),
      art_style_custom: text('A description of your own art style.'),
      camera_effect: openList('The movement of the camera.', ...cameraEffects),
      prompt: text('A description of the animation; see prompt_type.'),
      prompt_type: choice('Where the prompt comes from.', 'ai_choose', 'custom', 'use_lyrics'),
      transition_speed: integer('How fast the picture changes: 1 to 10, higher is faster.', {
        minimum: 1,
        maximum: 10,
      }),
    }),
  },
  rules: [sourceIsGiven('audio_source', 'audio_file_path'), animationIsGiven],
  examples: [
    {
      end_seconds: 2,
      fps: 12,
      height: 256,
      width: 256,
      assets: { audio_source: 'none' },
      style: {
        art_style: 'Painterly Illustration',
        camera_effect: 'Simple Zoom In',
        prompt_type: 'custom',
        prompt: 'a lighthouse in a storm',
        transition_speed: 5,
      },
    },
    {
      end_seconds: 2,
      fps: 12,
      height: 256,
      width: 256,
      assets: {
        audio_source: 'file',
        audio_file_path: 'asset:audio',
        image_file_path: 'asset:image',
      },
      style: {
        art_style: 'Painterly Illustration',
        camera_effect: 'Simple Zoom In',
        prompt_type: 'use_lyrics',
        transition_speed: 5,
      },
    },
  ],
});

const audioToVideo = listedTool({
  name: 'audio-to-video',
  title: 'Make a video from audio',
  record: 'video',
  type: 'AUDIO_TO_VIDEO',
  medianSeconds: 117,
  description: 'Makes a video that follows an audio file.',
  required: ['assets', 'end_seconds'],
  fields: {
    start_seconds: { ...startSeconds, description: 'Where the audio starts, in seconds.' },
    end_seconds: { ...endSeconds, description: 'Where the audio ends, in seconds.' },
    resolution: choice('Output resolution.', '480p', '720p', '1080p'),
    assets: group('The sound and the first picture.', ['audio_file_path'], {
      audio_file_path: { ...audioAsset, description: 'The sound of the video.' },
      image_file_path: { ...imageAsset, description: 'The picture that the video starts with.' },
    }),
    style: group('The look.', [], { prompt: text('A description of the video.') }),
  },
  rules: [endsAfterStart],
  examples: [
    {
      end_seconds: 2,
      resolution: '480p',
      assets: { audio_file_path: 'asset:audio' },
      style: { prompt: 'waves on a beach' },
    },
    {
      start_seconds: 0,
      end_seconds: 2,
      resolution: '480p',
      assets: { audio_file_path: 'asset:audio', image_file_path: 'asset:image' },
    },
  ],
});

const imageToVideo = listedTool({
  name: 'image-to-video',
  title: 'Make a video from a picture',
  record: 'video',
  type: 'IMAGE_TO_VIDEO',
  medianSeconds: 74,
  description: 'Makes a video that starts with one picture and may end with another.',
  required: ['assets', 'end_seconds'],
  fields: {
    ...generation,
    ...clipSize,
    assets: group('The pictures.', ['image_file_path'], {
      image_file_path: { ...imageAsset, description: 'The first frame.' },
      end_image_file_path: { ...imageAsset, description: 'The last frame.' },
    }),
    style: group('The content.', [], {
      prompt: text('A description of the motion.'),
      high_quality: flag('Older setting for the quality; see resolution.'),
      quality_mode: qualityMode,
    }),
  },
  rules: [fitsVideoModel],
  examples: [
    {
      end_seconds: 3,
      model: 'ltx-2.3',
      resolution: '480p',
      assets: { image_file_path: 'asset:image' },
      style: { prompt: 'the camera pulls back' },
    },
  ],
});

const textToVideo = listedTool({
  name: 'text-to-video',
  title: 'Make a video from a prompt',
  record: 'video',
  type: 'TEXT_TO_VIDEO',
  medianSeconds: 51,
  description: 'Makes a video from a prompt.',
  required: ['end_seconds', 'style'],
  fields: {
    ...generation,
    aspect_ratio: choice('Aspect ratio of the output.', '16:9', '1:1', '9:16'),
    orientation: choice('Older name of aspect_ratio.', 'landscape', 'portrait', 'square'),
    style: group('The content.', ['prompt'], {
      prompt: text('A description of the video: up to 2000 characters.', {
        minLength: 1,
        maxLength: 2000,
      }),
      quality_mode: qualityMode,
    }),
  },
  rules: [fitsVideoModel],
  examples: [
    {
      end_seconds: 3,
      model: 'ltx-2.3',
      resolution: '480p',
      aspect_ratio: '16:9',
      style: { prompt: 'a dog runs along a beach' },
    },
  ],
});

/** The five of the ten listed video tools that make a clip. */
export const videoPromptTools: readonly Tool[] = [
  aiTalkingPhoto,
  animation,
  audioToVideo,
  imageToVideo,
  textToVideo,
];
