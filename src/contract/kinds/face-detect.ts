// face-detect: finds faces in an uploaded image or video (facts.md, Face detection). Free at present.
import { isObject, type JsonObject } from '../base/json.ts';
import { confidenceScore, imageAsset } from './fields.ts';
import type { StepKind } from './kind.ts';

export const faceDetect: StepKind = {
  name: 'face-detect',
  title: 'Find faces in an uploaded image or video',
  operation: 'detect',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['target_file_path'],
    properties: {
      target_file_path: {
        ...imageAsset,
        description: 'The image or video to look at: the file_path of an upload.',
      },
      confidence_score: confidenceScore,
    },
  },
  outputs: {
    id: 'the detection',
    faces: 'list of {path, url}: path is an original_face, url shows the crop',
    credits_charged: 'credits, 0 at present',
  },
};

/** The request as the service wants it (facts.md, Face detection); `assets` of `extra:` keep their place. */
export function detectionRequest(body: JsonObject): JsonObject {
  const { target_file_path = '', assets, ...rest } = body;
  return { assets: { ...(isObject(assets) ? assets : {}), target_file_path }, ...rest };
}
