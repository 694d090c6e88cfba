// The JSON Schema of pipeline files: the only source of their shape, for ajv, TypeScript and
// editors.
import type { FromSchema } from 'json-schema-to-ts';
import { durationPattern } from '../../contract/base/duration.ts';
import { isObject } from '../../contract/base/json.ts';
import type { Schema } from '../../contract/base/schema.ts';
import type { StepKind } from '../../contract/kinds/kind.ts';
import { itemsSchema } from './items-schema.ts';
import {
  defaultsFor,
  extensionPrefix,
  fragmentShape,
  kindDefaultsDefinition,
  reuseFields,
} from './reuse/reuse-schema.ts';
import { envNamePattern, namePattern, servicePattern, sharePattern } from './schema-patterns.ts';
import { stepSchema } from './step-schema.ts';
import { unattendedShape } from './unattended-schema.ts';
import { withSchemaOf } from './with-schema.ts';

const inputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['type'],
  properties: {
    type: {
      type: 'string',
      enum: ['file', 'string', 'number', 'boolean'],
      description: 'The type of the value. `file` is a path, relative to the pipeline file.',
    },
    default: {
      type: ['string', 'number', 'boolean'],
      description: 'The value if `--input` does not set one.',
    },
    description: { type: 'string', description: 'A note for people who read the file.' },
  },
} as const;

export const pipelineShape = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/pipeline.schema.json',
  title: 'shotlist pipeline',
  description: 'Steps, and the items that the steps are applied to.',
  type: 'object',
  additionalProperties: false,
  required: ['pipeline', 'steps'],
  properties: {
    pipeline: {
      type: 'string',
      pattern: namePattern,
      maxLength: 100,
      description: 'The name of the pipeline. The state file and the projects are named after it.',
    },
    description: { type: 'string', description: 'A note for people who read the file.' },
    inputs: {
      type: 'object',
      description: 'Values that `--input name=value` sets and `${{ inputs.name }}` reads, by name.',
      additionalProperties: inputSchema,
    },
    env: {
      type: 'array',
      items: { type: 'string', pattern: envNamePattern },
      description:
        'The environment variables that expressions may read as `${{ env.NAME }}`, except `SHOTLIST_*`. `plan` shows which ones are sent.',
    },
    items: itemsSchema,
    budget: {
      type: 'object',
      description: 'Hard caps on what runs may charge, in credits.',
      additionalProperties: false,
      properties: {
        credits: {
          type: 'number',
          minimum: 0,
          description:
            'The most credits that one run may charge, together with the interrupted runs that it continues.',
        },
        per_item: {
          type: 'number',
          minimum: 0,
          description: 'The most credits that one item may charge.',
        },
        per_day: {
          type: 'number',
          minimum: 0,
          description:
            'The most credits that all runs of one day may charge together. Days follow the time zone of `schedule`, or UTC.',
        },
        per_month: {
          type: 'number',
          minimum: 0,
          description:
            'The most credits that all runs of one month may charge together. Months follow the time zone of `schedule`, or UTC.',
        },
      },
    },
    confirm_above: {
      type: 'number',
      minimum: 0,
      default: 100,
      description:
        'On a terminal, `run` shows a plan of more credits than this, and asks before it buys. `--yes` answers in advance.',
    },
    on_failure: {
      type: 'string',
      enum: ['continue', 'stop'],
      default: 'continue',
      description:
        'What happens to the other items after one has failed. `stop`: nothing more is bought, as with `max_failures: 0`.',
    },
    max_failures: {
      type: ['integer', 'string'],
      minimum: 0,
      pattern: sharePattern,
      description:
        'How many items may fail before buying stops: a number such as 5, or a share such as "2%".',
    },
    max_credits_lost: {
      type: 'number',
      minimum: 0,
      description:
        'How many credits may be lost to items that failed after they were charged, before buying stops.',
    },
    limits: {
      type: 'object',
      description:
        'How many items and tasks are in progress at once, and how long a run waits for the service.',
      additionalProperties: false,
      properties: {
        items: {
          type: 'integer',
          minimum: 1,
          maximum: 100_000,
          default: 16,
          description:
            'The number of items in progress at once: 1 to 100,000. Values above a few hundred help only with workers on several hosts (`--engine`).',
        },
        steps: {
          type: 'object',
          additionalProperties: { type: 'integer', minimum: 1, maximum: 1000 },
          description:
            'The number of tasks in progress at once, by step kind: 1 to 1,000. A tool’s task counts until its project ends.',
        },
        requests_per_minute: {
          type: 'integer',
          minimum: 1,
          description: 'The number of requests to the service per minute, in total.',
        },
        outage: {
          type: 'string',
          pattern: durationPattern,
          default: '15m',
          description: 'How long a run waits for a service that is down.',
        },
      },
    },
    ...unattendedShape,
    // What a file reuses is resolved before this shape is checked; the published schema has more.
    defaults: {},
    include: {},
    profiles: {},
    output: {
      type: 'string',
      minLength: 1,
      description:
        'The folder of all downloads, relative to the pipeline file. The default is `out/<pipeline>`.',
    },
    provenance: {
      type: 'boolean',
      default: false,
      description:
        'Whether a run writes a file `<output>.json` beside each output, which says where the output comes from.',
    },
    reuse: {
      type: 'string',
      enum: ['all', 'own'],
      default: 'all',
      description:
        'What counts as paid already, if the state file does not know a request: `all` receipts of this user, or only those of this pipeline file (`own`), which then has results of its own.',
    },
    service: {
      type: 'string',
      pattern: servicePattern,
      description:
        'The base address of the service. The service gets a user’s API key only after the user agrees: `shotlist trust <file>`.',
    },
    steps: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_-]*$', maxLength: 100 },
      additionalProperties: stepSchema,
      description: 'The steps, by name. The references between steps decide their order.',
    },
  },
} as const;

/** A pipeline file whose shape is valid; nothing else is checked yet. */
export type PipelineDocument = FromSchema<
  typeof pipelineShape,
  { keepDefaultedPropertiesOptional: true }
>;

/** Of a file as it is run. A check compiles only the kinds in use. */
export const resolvedSchema = (kinds: readonly StepKind[]): Schema => ({
  ...pipelineShape,
  properties: { ...pipelineShape.properties, steps: stepsSchema(kinds) },
  $defs: withSchemas(kinds),
});

/** Of a file as people write it: the published schema. */
export const pipelineSchema = (kinds: readonly StepKind[]): Schema => ({
  ...pipelineShape,
  patternProperties: { [`^${extensionPrefix}`]: {} },
  properties: {
    ...pipelineShape.properties,
    ...reuseFields,
    defaults: defaultsFor(kinds.map(({ name }) => name)),
    steps: stepsSchema(kinds),
  },
  $defs: { ...withSchemas(kinds), ...kindDefaultsDefinition },
});

/** The schema of fragment files. Without kinds, it does not check the content of the steps. */
export function fragmentSchema(kinds: readonly StepKind[] = []): Schema {
  const shape = fragmentShape(pipelineShape.properties.inputs);
  if (kinds.length === 0) return shape;
  const properties = isObject(shape['properties']) ? shape['properties'] : {};
  return {
    ...shape,
    properties: { ...properties, steps: stepsSchema(kinds) },
    $defs: withSchemas(kinds),
  };
}

function stepsSchema(kinds: readonly StepKind[]): Schema {
  const step = pipelineShape.properties.steps.additionalProperties;
  const uses = {
    ...step.properties.uses,
    enum: kinds.map((kind) => kind.name),
    enumDescriptions: kinds.map((kind) => kind.title),
  };
  return {
    ...pipelineShape.properties.steps,
    additionalProperties: {
      ...step,
      properties: { ...step.properties, uses },
      allOf: kinds.map((kind) => ({
        if: { required: ['uses'], properties: { uses: { const: kind.name } } },
        then: { required: ['with'], properties: { with: { $ref: `#/$defs/${kind.name}` } } },
      })),
    },
  };
}

const withSchemas = (kinds: readonly StepKind[]): Schema =>
  Object.fromEntries(
    kinds.map((kind) => [kind.name, { title: kind.title, ...withSchemaOf(kind) }]),
  );
