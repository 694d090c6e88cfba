// POST /v1/character-replace, in full (interface.md, POST /v1/character-replace).
import { fieldOf } from '../../base/json.ts';
import { endSeconds, imageAsset, name, startSeconds, videoAsset } from '../fields.ts';
import { fiveSeconds } from '../price-rule.ts';
import { endsAfterStart, type Rule } from '../rules.ts';
import { clipPath, eachFile, partOfClip } from '../starter.ts';
import type { Tool } from '../tool.ts';

const characterReplaceRequest = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'character-replace request',
  description:
    'Replaces a subject in a video with a character, or animates the character with motion from the video.',
  type: 'object',
  // interface.md, POST /v1/character-replace: "Ignored when it is auto or omitted."
  'x-ignored': [{ field: 'style.points', unless: 'style.selection_mode', is: 'point' }],
  additionalProperties: false,
  required: ['end_seconds', 'assets'],
  properties: {
    name,
    start_seconds: { ...startSeconds, default: 0 },
    end_seconds: endSeconds,
    resolution: {
      type: 'string',
      enum: ['480p', '720p'],
      default: '480p',
      description: 'Output resolution. Free plans are limited to 576 pixels.',
    },
    assets: {
      type: 'object',
      description: 'The clip and the character.',
      additionalProperties: false,
      required: ['video_file_path', 'image_file_path'],
      properties: {
        video_file_path: { ...videoAsset, description: 'Source video containing the subject.' },
        image_file_path: { ...imageAsset, description: 'Reference character image.' },
      },
    },
    style: {
      type: 'object',
      description: 'Whom the character replaces, and how.',
      additionalProperties: false,
      default: {},
      properties: {
        mode: {
          type: 'string',
          enum: ['replace', 'animate'],
          description: '`replace` swaps the detected subject; `animate` moves the character image.',
        },
        selection_mode: {
          type: 'string',
          enum: ['auto', 'point'],
          default: 'auto',
          description: '`auto` detects a person; `point` selects the subject at `points`.',
        },
        points: {
          type: 'array',
          description: 'Required if selection_mode is point; ignored otherwise.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['position_x', 'position_y', 'time_seconds'],
            properties: {
              position_x: {
                type: 'integer',
                minimum: 0,
                description: 'Distance from the left edge, in pixels.',
              },
              position_y: {
                type: 'integer',
                minimum: 0,
                description: 'Distance from the top edge, in pixels.',
              },
              time_seconds: {
                type: 'number',
                minimum: 0,
                description: 'Time in the source video, in seconds.',
              },
            },
          },
        },
      },
    },
  },
} as const;

const pointsAreGiven: Rule = {
  says: 'style.selection_mode point needs at least one entry in style.points.',
  check: (body) => {
    const points = fieldOf(body, 'style.points');
    const missing = Array.isArray(points) ? points.length === 0 : points === undefined;
    if (fieldOf(body, 'style.selection_mode') !== 'point' || !missing) return [];
    return [
      {
        field: 'style.points',
        message: 'selection_mode point needs at least one entry in points',
      },
    ];
  },
};

export const characterReplace: Tool = {
  name: 'character-replace',
  title: 'Put a character into a clip',
  record: 'video',
  type: 'CHARACTER_REPLACE',
  medianSeconds: 446,
  contractual: true,
  request: characterReplaceRequest,
  rules: [endsAfterStart, pointsAreGiven],
  price: {
    kind: 'unpublished',
    why: 'it is charged per rendered frame, and the rate is not published',
  },
  priceExamples: [fiveSeconds(' at 480p', { resolution: '480p' })],
  examples: [
    {
      end_seconds: 2.5,
      resolution: '480p',
      assets: { video_file_path: 'asset:video', image_file_path: 'asset:image' },
    },
    {
      start_seconds: 0.5,
      end_seconds: 2,
      assets: { video_file_path: 'asset:video', image_file_path: 'asset:image' },
      style: {
        mode: 'replace',
        selection_mode: 'point',
        points: [{ position_x: 120, position_y: 80, time_seconds: 0.5 }],
      },
    },
  ],
  starter: eachFile(
    'video',
    `${partOfClip}
resolution: 480p
assets:
  video_file_path: ${clipPath}
  image_file_path: \${{ steps.character.file_path }}`,
    { name: 'character', media: 'image', description: 'The picture of the character.' },
  ),
};
