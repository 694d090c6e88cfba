// The fields of request bodies as schemas: how a tool writes its own, and the ones that several tools share.
import type { JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';

/** An object field such as `assets` or `style`. */
export function group(
  description: string,
  required: readonly string[],
  fields: Readonly<Record<string, Schema>>,
): Schema {
  return { type: 'object', description, required, properties: fields };
}

/** A string with a fixed list of values. */
export function choice(description: string, ...values: readonly string[]): Schema {
  return { type: 'string', enum: values, description };
}

/** A string whose values the service decides. `known`: some values that the service accepts. */
export function openList(description: string, ...known: readonly string[]): Schema {
  const open = `${description} The list is open: shotlist sends any value, and the service decides.`;
  const field = { type: 'string', description: open };
  return known.length === 0 ? field : { ...field, examples: known };
}

/** The values of a long list: `One | Two | Three`. */
export const listed = (values: string): readonly string[] =>
  values.split('|').map((value) => value.trim());

export function text(description: string, limits: JsonObject = {}): Schema {
  return { type: 'string', ...limits, description };
}

export function number(description: string, limits: JsonObject = {}): Schema {
  return { type: 'number', ...limits, description };
}

export function integer(description: string, limits: JsonObject = {}): Schema {
  return { type: 'integer', ...limits, description };
}

export function flag(description: string): Schema {
  return { type: 'boolean', description };
}

// Fields of many tools.

export const name = {
  type: 'string',
  description:
    'The name of the project. It does not change the result. shotlist adds a unique token to it.',
  'x-cosmetic': true,
} as const;

export const imageAsset = {
  type: 'string',
  minLength: 1,
  'x-asset': 'image',
  description: 'An image: the file_path of an upload, or a direct URL.',
} as const;

export const picture = (description: string) => ({ ...imageAsset, description });

export const videoAsset = {
  type: 'string',
  minLength: 1,
  'x-asset': 'video',
  description: 'A video: the file_path of an upload, or a direct URL.',
} as const;

export const audioAsset = {
  type: 'string',
  minLength: 1,
  'x-asset': 'audio',
  description: 'An audio file: the file_path of an upload, or a direct URL.',
} as const;

export const startSeconds = {
  type: 'number',
  minimum: 0,
  description: 'The start of the clip, in seconds.',
} as const;

export const endSeconds = {
  type: 'number',
  minimum: 0.1,
  description: 'The end of the clip, in seconds. Must be greater than start_seconds.',
} as const;

/** models.md: at most 5, in face-swap and face-swap-photo. */
export const maxFaceMappings = 5;

export const confidenceScore = {
  type: 'number',
  minimum: 0,
  maximum: 1,
  multipleOf: 0.05,
  default: 0.5,
  description: 'How confident the detector must be: 0 to 1 in steps of 0.05.',
} as const;

// Fields of the tools that take a clip.

/** Fields of `assets` that say where the clip comes from. */
export const clipSource = {
  video_source: choice(
    '`file` requires video_file_path; `youtube` requires youtube_url.',
    'file',
    'youtube',
  ),
  video_file_path: { ...videoAsset, description: 'The clip, if video_source is file.' },
  youtube_url: text('The address of the clip, if video_source is youtube.', { minLength: 1 }),
};

/**
 * interface.md, Versioning: no longer required for face-swap, image-to-video, lip-sync,
 * video-to-video.
 */
export const clipSize = {
  height: number(
    'Output height in pixels. No longer needed: the output size follows the input and the plan.',
  ),
  width: number(
    'Output width in pixels. No longer needed: the output size follows the input and the plan.',
  ),
};

// Fields of the tools that generate pictures, videos and speech.

export const imageResolution = choice('Output resolution.', '640px', '1k', '2k', '4k', 'auto');

export const videoLength = { ...endSeconds, description: 'The length of the video, in seconds.' };

/** Shared by text-to-video and image-to-video: facts.md prices both by the same table. */
export const generation = {
  end_seconds: { ...videoLength, minimum: 1, maximum: 60 },
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

export const qualityMode = choice(
  'Older setting for the quality; see resolution.',
  'quick',
  'studio',
);

/**
 * interface.md, Limits: 1000 characters for everybody. Free plans may allow less; the service
 * decides.
 */
export const spoken = text('The text to speak: 1 to 1000 characters.', {
  minLength: 1,
  maxLength: 1000,
});
