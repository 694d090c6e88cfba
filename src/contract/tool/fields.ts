// Schema fields shared by many request bodies.

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
export const mostFaceMappings = 5;

export const confidenceScore = {
  type: 'number',
  minimum: 0,
  maximum: 1,
  multipleOf: 0.05,
  default: 0.5,
  description: 'How confident the detector must be: 0 to 1 in steps of 0.05.',
} as const;
