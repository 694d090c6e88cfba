// download: saves a project's files to disk and verifies them (design.md, promise 2). Free.
import type { StepKind } from './kind.ts';

export const download: StepKind = {
  name: 'download',
  title: 'Save the results of a step',
  operation: 'download',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['of', 'to'],
    properties: {
      of: {
        type: 'string',
        minLength: 1,
        description: 'The tool step whose results are downloaded.',
      },
      to: {
        type: 'string',
        minLength: 1,
        description:
          'The path of the file, below the folder of `output:`. With several files, -1, -2 and so on is put before the ' +
          'extension. A path that ends in "/" is a folder with the files 1.<ext>, 2.<ext> and so on. ' +
          '`${{ result.ext }}` is the extension of the file.',
      },
    },
  },
  outputs: {
    path: 'the path of the first file, relative to the pipeline file',
    paths: 'the paths of all files',
    bytes: 'the total size of the files, in bytes',
    sha256: 'the SHA-256 hash of the first file',
    duration: 'the length of the first file in seconds, if it is a sound whose header says it',
  },
  outputTypes: {
    path: { type: 'string', format: 'path' },
    paths: { type: 'array', items: { type: 'string' } },
    bytes: { type: 'integer' },
    sha256: { type: 'string' },
    duration: { type: 'number' },
  },
};
