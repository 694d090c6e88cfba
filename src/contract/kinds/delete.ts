// delete: removes a project from the service, once its files are safe and nothing else needs it. Free.
import type { StepKind } from './kind.ts';

export const deleteKind: StepKind = {
  name: 'delete',
  title: 'Delete a tool step’s project from the service',
  operation: 'delete',
  with: {
    type: 'object',
    additionalProperties: false,
    required: ['of'],
    properties: {
      of: { type: 'string', minLength: 1, description: 'The tool step whose project is deleted.' },
      discard: {
        type: 'boolean',
        default: false,
        description:
          'Delete although the pipeline has no download of it: the result is lost on purpose.',
      },
    },
  },
  outputs: {},
};
