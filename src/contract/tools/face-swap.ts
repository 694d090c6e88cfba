// face-swap: faces in a clip (facts.md, Body fields of every creation endpoint). For photos, see face-swap-photo.ts.
import {
  choice,
  clipSize,
  clipSource,
  endSeconds,
  group,
  imageAsset,
  maxFaceMappings,
  startSeconds,
} from '../fields.ts';
import { at24fps, fiveSeconds } from '../price-rule.ts';
import { endsAfterStart, facesHaveASource, hasFramesAtMost, sourceIsGiven } from '../rules.ts';
import { clipPath, eachFile, faceInput, partOfClip } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const faceSwap = listedTool({
  name: 'face-swap',
  title: 'Swap faces in a clip',
  record: 'video',
  type: 'FACE_SWAP',
  medianSeconds: 96,
  description: 'Swaps faces in a clip of at most 100,000 frames.',
  required: ['assets', 'end_seconds', 'start_seconds'],
  fields: {
    start_seconds: startSeconds,
    end_seconds: endSeconds,
    ...clipSize,
    assets: group('The clip and the faces.', ['video_source'], {
      ...clipSource,
      image_file_path: { ...imageAsset, description: 'The new face, for an all-faces swap.' },
      face_swap_mode: choice(
        '`all-faces` requires image_file_path; `individual-faces` requires face_mappings.',
        'all-faces',
        'individual-faces',
      ),
      face_mappings: {
        type: 'array',
        maxItems: maxFaceMappings,
        description: 'The faces to swap, for an individual-faces swap: up to 5.',
        items: group('A face and its replacement.', ['new_face', 'original_face'], {
          original_face: {
            ...imageAsset,
            description:
              'The face to replace: the path of a detected face, steps.<face-detect step>.faces[].path.',
          },
          new_face: { ...imageAsset, description: 'The image with the new face.' },
        }),
      },
    }),
    style: group('The variant of the swap.', [], {
      version: choice(
        'The version of the swap; `v1` selects the older behavior.',
        'default',
        'v1',
        'v2',
      ),
    }),
  },
  rules: [
    endsAfterStart,
    hasFramesAtMost(100_000),
    facesHaveASource('image_file_path'),
    sourceIsGiven('video_source', 'video_file_path'),
  ],
  price: { kind: 'frames', credits: 24 / at24fps },
  priceExamples: [fiveSeconds()],
  examples: [
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: {
        video_source: 'file',
        video_file_path: 'asset:video',
        face_swap_mode: 'all-faces',
        image_file_path: 'asset:image',
      },
    },
    {
      start_seconds: 0,
      end_seconds: 2,
      assets: {
        video_source: 'file',
        video_file_path: 'asset:video',
        face_swap_mode: 'individual-faces',
        face_mappings: [{ original_face: 'asset:image', new_face: 'asset:image' }],
      },
    },
  ],
  starter: eachFile(
    'video',
    `${partOfClip}
assets:
  face_swap_mode: all-faces
  video_source: file
  video_file_path: ${clipPath}
  image_file_path: \${{ steps.face.file_path }}`,
    faceInput,
  ),
});
