// face-detect: finds faces in an uploaded image or video (facts.md, Face detection). Free at
// present.

import { isObject, type JsonObject } from '../../base/json.ts';
import { faceDetectionSchema } from '../api/project.ts';
import { confidenceScore, imageAsset } from '../tool/fields.ts';
import type { StepKind } from './kind.ts';

export const faceDetect: StepKind = {
  name: 'face-detect',
  title: 'Find faces in a photo or clip',
  operation: 'detect',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['target_file_path'],
    properties: {
      target_file_path: {
        ...imageAsset,
        description: 'The image or video in which to find faces: the file_path of an upload.',
      },
      confidence_score: confidenceScore,
    },
  },
  outputs: {
    id: 'the id of the detection',
    faces: 'a list of {path, url}: use path as original_face; url shows the cropped face',
    credits_charged: 'the credits charged; at present 0',
  },
  outputTypes: {
    id: { type: 'string' },
    faces: faceDetectionSchema.properties.faces,
    credits_charged: { type: 'integer' },
  },
};

/**
 * The request in the service's shape (facts.md, Face detection). `assets` from `extra:` stay in
 * `assets`.
 */
export function detectionRequest(body: JsonObject): JsonObject {
  const { target_file_path = '', assets, ...rest } = body;
  return { assets: { ...(isObject(assets) ? assets : {}), target_file_path }, ...rest };
}
