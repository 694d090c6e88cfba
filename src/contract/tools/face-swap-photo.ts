// POST /v1/face-swap-photo, in full (interface.md, POST /v1/face-swap-photo; modes from facts.md).
import { imageAsset, maxFaceMappings, name } from '../fields.ts';
import { facesHaveASource } from '../rules.ts';
import { eachFile, faceInput, photoPath } from '../starter.ts';
import type { Tool } from '../tool.ts';

const faceSwapPhotoRequest = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'face-swap-photo request',
  description: 'Swaps faces in a photo. 10 credits per photo.',
  type: 'object',
  additionalProperties: false,
  required: ['assets'],
  properties: {
    name,
    assets: {
      type: 'object',
      description: 'The photo, and the faces to swap.',
      additionalProperties: false,
      required: ['target_file_path'],
      properties: {
        target_file_path: { ...imageAsset, description: 'The image in which to swap faces.' },
        source_file_path: {
          ...imageAsset,
          description: 'The image with the new face, for an all-faces swap.',
        },
        face_swap_mode: {
          type: 'string',
          enum: ['all-faces', 'individual-faces'],
          description:
            '`all-faces` requires source_file_path; `individual-faces` requires face_mappings.',
        },
        face_mappings: {
          type: 'array',
          maxItems: maxFaceMappings,
          description: 'The faces to swap, for an individual-faces swap: up to 5.',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['original_face', 'new_face'],
            properties: {
              original_face: {
                ...imageAsset,
                description:
                  'The face to replace: the path of a detected face, steps.<face-detect step>.faces[].path.',
              },
              new_face: { ...imageAsset, description: 'The image with the new face.' },
            },
          },
        },
      },
    },
  },
} as const;

export const faceSwapPhoto: Tool = {
  name: 'face-swap-photo',
  title: 'Swap faces in a photo',
  record: 'image',
  type: 'FACE_SWAP',
  medianSeconds: 4,
  contractual: true,
  request: faceSwapPhotoRequest,
  rules: [facesHaveASource('source_file_path')],
  price: { kind: 'flat', credits: 10 },
  priceExamples: [{ of: 'a photo', body: {} }],
  examples: [
    {
      assets: {
        face_swap_mode: 'all-faces',
        target_file_path: 'asset:image',
        source_file_path: 'asset:image',
      },
    },
    {
      name: 'two by hand',
      assets: {
        face_swap_mode: 'individual-faces',
        target_file_path: 'asset:image',
        face_mappings: [{ original_face: 'asset:image', new_face: 'asset:image' }],
      },
    },
  ],
  starter: eachFile(
    'image',
    `assets:
  face_swap_mode: all-faces # every face in the photo; individual-faces takes a list
  target_file_path: ${photoPath}
  source_file_path: \${{ steps.face.file_path }}`,
    faceInput,
  ),
};
