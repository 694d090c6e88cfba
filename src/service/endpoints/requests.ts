// The request bodies of uploads and face detections (facts.md, Uploads and Face detection).
import { confidenceScore, imageAsset } from '../../contract/tool/fields.ts';

export const uploadRequest = {
  type: 'object',
  description: 'One call can ask for the addresses of many files.',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type', 'extension'],
        properties: {
          type: { type: 'string', enum: ['image', 'video', 'audio'] },
          extension: {
            type: 'string',
            pattern: '^[a-z0-9]+$',
            description: 'Without the dot.',
          },
        },
      },
    },
  },
} as const;

export const detectionRequest = {
  type: 'object',
  description: 'Finds faces in an uploaded image or video. Free at present.',
  required: ['assets'],
  properties: {
    assets: {
      type: 'object',
      required: ['target_file_path'],
      properties: { target_file_path: imageAsset },
    },
    confidence_score: confidenceScore,
  },
} as const;
