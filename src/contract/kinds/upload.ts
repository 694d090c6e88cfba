// upload: sends a local file to the service, which names it `file_path` (interface.md, Asset
// reference). Free.
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
        description: 'The path of the file to upload, relative to the pipeline file.',
      },
    },
  },
  outputs: { file_path: 'the asset reference, valid for 7 days; the runner renews it' },
  outputTypes: { file_path: { type: 'string' } },
};
