// The fields of a step, for every step kind.
import type { FromSchema } from 'json-schema-to-ts';
import { durationPattern } from '../base/duration.ts';

export const stepSchema = {
  title: 'step',
  type: 'object',
  additionalProperties: false,
  required: ['uses'],
  properties: {
    description: { type: 'string', description: 'A note for people who read the file.' },
    uses: {
      type: 'string',
      description: 'The step kind: upload, face-detect, a tool, download or delete.',
    },
    with: {
      type: 'object',
      description: 'The fields of the step kind. Any value may be an expression, `${{ … }}`.',
    },
    extra: {
      type: 'object',
      description:
        'Fields of the request that shotlist does not know. shotlist merges them into `with`, sends them unchanged, and counts them as part of the request. For tool steps and face-detect.',
    },
    keep: {
      type: 'string',
      enum: ['remote'],
      description:
        'For a tool step without a download: `remote` says that the result is meant to stay at the service.',
    },
    if: {
      type: ['string', 'boolean'],
      default: true,
      description:
        'A CEL expression. If it is false, the step and every step that uses its outputs are skipped.',
    },
    for_each: {
      type: ['array', 'string'],
      minItems: 1,
      description:
        'A list, or one expression that is a list, such as `${{ steps.img.downloads }}`. The step runs once for each element, which expressions see as `each`.',
    },
    on_missing: {
      type: 'string',
      enum: ['fail', 'skip'],
      default: 'fail',
      description:
        'For a step that reads `steps.<name>.all`: `fail` leaves the step undone if an item or an element has no result; `skip` leaves out those that failed or were skipped.',
    },
    needs: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Steps that must finish first, although no expression refers to them. If one of them fails, the step does not run; if one is skipped, it does.',
    },
    estimate: {
      type: 'number',
      minimum: 0,
      description:
        'An upper bound of the credits of one task. Required with a budget and in a rehearsal if the price is not published.',
    },
    retry: {
      type: 'object',
      description: 'What happens after a temporary failure.',
      additionalProperties: false,
      properties: {
        attempts: {
          type: 'integer',
          minimum: 1,
          maximum: 20,
          default: 3,
          description:
            'How often to try a request, or a project that failed for a temporary reason, in total.',
        },
      },
    },
    timeout: {
      type: 'string',
      pattern: durationPattern,
      description:
        'How long one run waits for the project; the next run continues to wait. The default is six times the median time of the tool, and at least `10m`.',
    },
  },
} as const;

export type StepDocument = FromSchema<typeof stepSchema, { keepDefaultedPropertiesOptional: true }>;
