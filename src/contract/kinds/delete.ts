// delete: removes a project from the service when its files are safe and no other step needs it.
// Free.
import type { StepKind } from './kind.ts';

export const deleteKind: StepKind = {
  name: 'delete',
  title: 'Delete a tool step’s project',
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
        description: 'Delete the project even if no step downloads its result. The result is lost.',
      },
    },
  },
  outputs: {},
  outputTypes: {},
};
