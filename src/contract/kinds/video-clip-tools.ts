// The video tools that change part of a given clip (facts.md, Body fields of every creation endpoint). face-swap and
// character-replace have files of their own.
import { clipSize, clipSource } from './clip-fields.ts';
import { faceSwap } from './face-swap.ts';
import { audioAsset, endSeconds, startSeconds, videoAsset } from './fields.ts';
import type { Tool } from './kind.ts';
import { redrawStyles } from './known-values.ts';
import { choice, group, listedTool, number, openList, text } from './listed-tool.ts';
import { fitsVideoEditModel } from './model-rules.ts';
import { endsAfterStart, hasFramesAtMost, sourceIsGiven, subtitlesHaveALook } from './rules.ts';

const aiVideoEditor = listedTool({
  name: 'ai-video-editor',
  title: 'Edit a clip with a prompt',
  record: 'video',
  type: 'VIDEO_EDITOR',
  medianSeconds: 85,
  description:
    'Edits a clip as the prompt says. Charged per rendered frame; the rate is not published.',
  required: ['assets', 'end_seconds', 'style'],
  fields: {
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    model: openList('The model that edits the clip.', 'default', 'gemini-omni', 'ltx-2.3'),
    resolution: choice('Output resolution.', '480p', '720p', '1080p'),
    assets: group('The clip.', ['video_file_path'], {
      video_file_path: { ...videoAsset, description: 'The clip to edit.' },
    }),
    style: group('The edit.', ['prompt'], {
      prompt: text('A description of the edit.', { minLength: 1 }),
    }),
  },
  rules: [endsAfterStart, fitsVideoEditModel],
  examples: [
    {
      end_seconds: 3,
      model: 'ltx-2.3',
      resolution: '480p',
      assets: { video_file_path: 'asset:video' },
      style: { prompt: 'make it snow' },
    },
  ],
});

const autoSubtitleGenerator = listedTool({
  name: 'auto-subtitle-generator',
  title: 'Add subtitles to a clip',
  record: 'video',
  type: 'AUTO_SUBTITLE',
  medianSeconds: 45,
  description: 'Transcribes the speech in a clip and adds it as subtitles.',
  required: ['assets', 'end_seconds', 'start_seconds', 'style'],
  fields: {
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    assets: group('The clip.', ['video_file_path'], {
      video_file_path: { ...videoAsset, description: 'The clip to subtitle.' },
    }),
    style: group(
      'The look of the subtitles: a template, custom settings with a font and positions, or both.',
      [],
      {
        template: choice('A ready-made look.', 'cinematic', 'highlight', 'karaoke', 'minimalist'),
        custom_config: group('Settings that override the template.', [], {
          font: text('Name of the font.'),
          font_size: number('Size of the font.'),
          font_style: text('Style of the font.'),
          text_color: text('Color of the text.'),
          highlighted_text_color: text('Color of the word that is being spoken.'),
          stroke_color: text('Color of the outline.'),
          stroke_width: number('Width of the outline.'),
          horizontal_position: text('Horizontal position of the text.'),
          vertical_position: text('Vertical position of the text.'),
        }),
      },
    ),
  },
  rules: [endsAfterStart, subtitlesHaveALook],
  examples: [
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { video_file_path: 'asset:video' },
      style: { template: 'karaoke' },
    },
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { video_file_path: 'asset:video' },
      style: {
        custom_config: {
          font: 'Noto Sans',
          font_size: 24,
          horizontal_position: 'center',
          vertical_position: 'bottom',
        },
      },
    },
  ],
});

const lipSync = listedTool({
  name: 'lip-sync',
  title: 'Sync lips in a clip to a voice',
  record: 'video',
  type: 'LIP_SYNC',
  medianSeconds: 229,
  description: 'Moves the lips in a clip to match an audio file, for at most 120,000 frames.',
  required: ['assets', 'end_seconds', 'start_seconds'],
  fields: {
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    ...clipSize,
    max_fps_limit: number('Upper bound of the frame rate, and therefore of the cost.', {
      minimum: 1,
    }),
    assets: group('The clip and the voice.', ['audio_file_path', 'video_source'], {
      ...clipSource,
      audio_file_path: { ...audioAsset, description: 'The speech that the lips follow.' },
    }),
    style: group('The quality of the lip sync.', [], {
      generation_mode: choice(
        'The quality: 1 credit per frame, or 2 with `pro`, which free plans do not offer.',
        'lite',
        'standard',
        'pro',
      ),
    }),
  },
  rules: [
    endsAfterStart,
    hasFramesAtMost(120_000),
    sourceIsGiven('video_source', 'video_file_path'),
  ],
  examples: [
    {
      start_seconds: 0,
      end_seconds: 2,
      max_fps_limit: 24,
      assets: {
        video_source: 'file',
        video_file_path: 'asset:video',
        audio_file_path: 'asset:audio',
      },
      style: { generation_mode: 'lite' },
    },
  ],
});

const videoToVideo = listedTool({
  name: 'video-to-video',
  title: 'Redraw a clip in an art style',
  record: 'video',
  type: 'VIDEO_TO_VIDEO',
  medianSeconds: 772,
  description: 'Redraws a clip in an art style. The sides of the output are divisible by 64.',
  required: ['assets', 'end_seconds', 'start_seconds', 'style'],
  fields: {
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    // interface.md, Limits: at least 64 px, when given.
    height: { ...clipSize.height, minimum: 64 },
    width: { ...clipSize.width, minimum: 64 },
    fps_resolution: choice('Whether to redraw every frame or every second frame.', 'FULL', 'HALF'),
    assets: group('The clip.', ['video_source'], clipSource),
    style: group('The look.', ['art_style'], {
      art_style: openList('The art style.', ...redrawStyles),
      model: choice(
        'The model that redraws the clip; `default` if omitted.',
        'default',
        '3D Anime',
        'Absolute Reality',
        'Dreamshaper',
        'Flat 2D Anime',
        'Kaywaii',
        'Soft Anime',
        'Western Anime',
      ),
      prompt: {
        type: ['string', 'null'],
        description: 'A description of the result; see prompt_type.',
      },
      prompt_type: choice(
        'How to combine the prompt with the style’s own; `default` if omitted.',
        'append_default',
        'custom',
        'default',
      ),
      version: choice('The version of the style; `default` if omitted.', 'default', 'v1', 'v2'),
    }),
  },
  rules: [endsAfterStart, sourceIsGiven('video_source', 'video_file_path')],
  examples: [
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { video_source: 'file', video_file_path: 'asset:video' },
      style: { art_style: 'Watercolor' },
    },
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: { video_source: 'youtube', youtube_url: 'https://youtu.be/example' },
      style: { art_style: 'Watercolor', prompt_type: 'custom', prompt: 'a quiet harbour' },
    },
  ],
});

/** The five of the ten listed video tools that change a clip. */
export const videoClipTools: readonly Tool[] = [
  aiVideoEditor,
  autoSubtitleGenerator,
  faceSwap,
  lipSync,
  videoToVideo,
];
