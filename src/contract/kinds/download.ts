// download: a project's outputs, verified and on disk (design.md, promise 2). Free.
import type { StepKind } from './kind.ts';

export const download: StepKind = {
  name: 'download',
  title: 'Fetch the outputs of a tool step',
  operation: 'download',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['of', 'to'],
    properties: {
      of: { type: 'string', minLength: 1, description: 'The tool step whose outputs are fetched.' },
      to: {
        type: 'string',
        minLength: 1,
        description:
          'Where to, below `output`. A file; with several outputs -1, -2 … is put before the extension. ' +
          'Ending in "/", a folder: 1.<ext>, 2.<ext> … `${{ result.ext }}` is the extension of what was fetched.',
      },
    },
  },
  outputs: {
    path: 'the first file, relative to the pipeline file',
    paths: 'all files',
    bytes: 'their size together',
    sha256: 'the hash of the first file',
  },
};
