// The pipeline file's JSON Schema: the one source of its shape, for ajv, for TypeScript and for editors.
import type { FromSchema } from 'json-schema-to-ts';
import { durationPattern } from '../../contract/base/duration.ts';
import type { Schema } from '../../contract/base/schema.ts';
import type { StepKind } from '../../contract/kinds/kind.ts';
import { envNamePattern, namePattern, servicePattern, sharePattern } from './schema-patterns.ts';
import { withSchemaOf } from './with-schema.ts';

const inputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['type'],
  properties: {
    type: {
      type: 'string',
      enum: ['file', 'string', 'number', 'boolean'],
      description: '`file` is a path, relative to the pipeline file.',
    },
    default: {
      type: ['string', 'number', 'boolean'],
      description: 'Used when --input does not set it.',
    },
    description: { type: 'string' },
  },
} as const;

const stepSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['uses'],
  properties: {
    uses: {
      type: 'string',
      description: 'The step kind: upload, face-detect, a tool, download, delete.',
    },
    with: { type: 'object', description: 'What the kind takes; values may be ${{ expressions }}.' },
    extra: {
      type: 'object',
      description:
        'Fields of the request that shotlist does not know: merged into with, sent as they are, and part of what a result depends on. For tool steps and face-detect.',
    },
    keep: {
      type: 'string',
      enum: ['remote'],
      description:
        'For a tool step whose result nobody downloads: `remote` says that the result is meant to stay at the service.',
    },
    if: {
      type: ['string', 'boolean'],
      description:
        'A CEL expression. When it is false, the step and every step that uses its outputs are skipped.',
    },
    needs: {
      type: 'array',
      items: { type: 'string' },
      description: 'Steps that must be done first although nothing refers to them.',
    },
    estimate: {
      type: 'number',
      minimum: 0,
      description:
        'An upper bound of the credits of one task: needed where no price is published, under a budget and in a rehearsal.',
    },
    retry: {
      type: 'object',
      additionalProperties: false,
      properties: {
        attempts: {
          type: 'integer',
          minimum: 1,
          maximum: 20,
          description:
            'How often a request, or a project that failed for a passing cause, is tried in all.',
        },
      },
    },
    timeout: {
      type: 'string',
      pattern: durationPattern,
      description: 'How long one run waits for the project: 90s, 10m, 1h. The project stays known.',
    },
  },
} as const;

export const pipelineShape = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/pipeline.schema.json',
  title: 'shotlist pipeline',
  description: 'Steps, and the items that they are applied to.',
  type: 'object',
  additionalProperties: false,
  required: ['pipeline', 'steps'],
  properties: {
    pipeline: {
      type: 'string',
      pattern: namePattern,
      maxLength: 100,
      description: 'The name: it names the state file and the projects.',
    },
    description: { type: 'string' },
    inputs: {
      type: 'object',
      description: 'Values set with --input name=value; read as ${{ inputs.name }}.',
      additionalProperties: inputSchema,
    },
    env: {
      type: 'array',
      items: { type: 'string', pattern: envNamePattern },
      description:
        'The environment variables that expressions may read as ${{ env.NAME }}; none of SHOTLIST_*. `plan` shows which are sent.',
    },
    items: {
      type: 'object',
      description: 'What the steps are applied to: one of glob, values. Absent: one item.',
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 1,
      properties: {
        glob: {
          type: 'string',
          minLength: 1,
          description: 'Files, relative to the pipeline file.',
        },
        values: {
          type: 'array',
          minItems: 1,
          items: {
            type: ['object', 'string', 'number', 'boolean'],
            properties: {
              key: {
                type: ['string', 'number'],
                minLength: 1,
                description: 'The name of the item. Default: its number, from 1.',
              },
            },
          },
          description:
            'Objects (fields as ${{ item.field }}) or single values (${{ item.value }}).',
        },
      },
    },
    budget: {
      type: 'object',
      description: 'Hard caps in credits.',
      additionalProperties: false,
      properties: {
        credits: {
          type: 'number',
          minimum: 0,
          description: 'All that one run may charge, a resumed one included.',
        },
        per_item: { type: 'number', minimum: 0, description: 'All that one item may charge.' },
      },
    },
    on_failure: {
      type: 'string',
      enum: ['continue', 'stop'],
      description:
        'What an item’s failure means for the others. `stop`: nothing more is bought, as with max_failures: 0.',
    },
    max_failures: {
      type: ['integer', 'string'],
      minimum: 0,
      pattern: sharePattern,
      description: 'How many items may fail before nothing more is bought: 5, or a share: "2%".',
    },
    max_credits_lost: {
      type: 'number',
      minimum: 0,
      description:
        'Credits that a run may have charged for items that then failed, before nothing more is bought.',
    },
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: {
        items: {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          description: 'Items in the works at once.',
        },
        steps: {
          type: 'object',
          additionalProperties: { type: 'integer', minimum: 1, maximum: 1000 },
          description:
            'Tasks of a step kind at once; a tool’s counts until its project is settled.',
        },
        requests_per_minute: {
          type: 'integer',
          minimum: 1,
          description: 'To the service, all together.',
        },
        outage: {
          type: 'string',
          pattern: durationPattern,
          description:
            'How long a run waits for a service that is away before the run stops, for example 1h. Default 15m.',
        },
      },
    },
    output: { type: 'string', minLength: 1, description: 'The folder of all downloads.' },
    service: {
      type: 'string',
      pattern: servicePattern,
      description:
        'The base address of the service. It gets the API key of whoever runs the pipeline only after they agree: `shotlist trust <file>`.',
    },
    steps: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_-]*$', maxLength: 100 },
      additionalProperties: stepSchema,
      description: 'The nodes of the graph; the order follows from the references.',
    },
  },
} as const;

/** A pipeline file as it was written: the shape is right, nothing else is known yet. */
export type PipelineDocument = FromSchema<typeof pipelineShape>;
export type StepDocument = FromSchema<typeof stepSchema>;

/** The whole schema for a set of kinds. The published file holds all; a check compiles those in use. */
export function pipelineSchema(kinds: readonly StepKind[]): Schema {
  const step = pipelineShape.properties.steps.additionalProperties;
  const uses = { ...step.properties.uses, enum: kinds.map((kind) => kind.name) };
  return {
    ...pipelineShape,
    properties: {
      ...pipelineShape.properties,
      steps: {
        ...pipelineShape.properties.steps,
        additionalProperties: {
          ...step,
          properties: { ...step.properties, uses },
          allOf: kinds.map((kind) => ({
            if: { required: ['uses'], properties: { uses: { const: kind.name } } },
            then: { required: ['with'], properties: { with: { $ref: `#/$defs/${kind.name}` } } },
          })),
        },
      },
    },
    $defs: Object.fromEntries(
      kinds.map((kind) => [kind.name, { title: kind.title, ...withSchemaOf(kind) }]),
    ),
  };
}
