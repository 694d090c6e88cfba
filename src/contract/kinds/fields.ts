// Pieces that many request bodies share, so that each is described once.

export const name = {
  type: 'string',
  description:
    'Custom project name. Cosmetic: it does not change the result. A unique token is added to it.',
  'x-cosmetic': true,
} as const;

export const imageAsset = {
  type: 'string',
  minLength: 1,
  'x-asset': 'image',
  description: 'An image: the file_path of an upload, or a direct URL.',
} as const;

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
  description: 'Where the clip starts, in seconds.',
} as const;

export const endSeconds = {
  type: 'number',
  minimum: 0.1,
  description: 'Where the clip ends, in seconds; greater than start_seconds.',
} as const;

/** models.md: at most 5, in face-swap and face-swap-photo. */
export const mostFaceMappings = 5;

export const confidenceScore = {
  type: 'number',
  minimum: 0,
  maximum: 1,
  multipleOf: 0.05,
  default: 0.5,
  description: 'How sure the detector must be: 0 to 1 in steps of 0.05.',
} as const;
