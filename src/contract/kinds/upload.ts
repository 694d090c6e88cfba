// upload: a local file becomes a `file_path` of the service (interface.md, Asset reference). Free.
import type { StepKind } from './kind.ts';

export const upload: StepKind = {
  name: 'upload',
  title: 'Upload a local file',
  operation: 'upload',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['file'],
    properties: {
      file: {
        type: 'string',
        minLength: 1,
        description: 'The file to upload; a path relative to the pipeline file.',
      },
    },
  },
  outputs: { file_path: 'the asset reference; valid for 7 days, renewed by the runner' },
};
