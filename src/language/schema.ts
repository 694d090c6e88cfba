// The JSON Schema of pipeline files: the only source of their shape, for ajv, TypeScript and
// editors.
import type { FromSchema } from 'json-schema-to-ts';
import { durationPattern } from '../base/duration.ts';
import type { Schema } from '../base/schema.ts';
import type { StepKind } from '../contract/kinds.ts';
import { stepSchema, withSchemaOf } from './step-schema.ts';

/** A share, such as 2% or 0.5%. */
const sharePattern = '^(100|[0-9]{1,2}(\\.[0-9]{1,4})?)%$';
/** The name of a pipeline, which is part of file names. */
export const namePattern = '^[A-Za-z0-9][A-Za-z0-9._-]*$';
const envNamePattern = '^[A-Za-z_][A-Za-z0-9_]*$';
const servicePattern = '^https?://';
/** A webhook that gets a run's summary. */
const webhookPattern = '^https://';

const meanings: ReadonlyMap<unknown, string> = new Map([
  [durationPattern, 'a duration such as 90s, 10m or 1h'],
  [sharePattern, 'a whole number or a share such as "2%", up to "100%"'],
  [namePattern, 'a name of letters, digits, ".", "_" and "-" that begins with a letter or a digit'],
  [servicePattern, 'an address that begins with https:// or http://'],
  [webhookPattern, 'an address that begins with https://'],
  [envNamePattern, 'the name of an environment variable, such as PHOTO_YEAR'],
]);

/** The description of a pattern in the schema; undefined for any other pattern. */
export const meaningOf = (pattern: unknown): string | undefined => meanings.get(pattern);

// The fields of a pipeline about runs that nobody watches: when they start, whom they tell, and where results are kept.

const hookSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    command: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description:
        'A program and its arguments. The program runs in the folder of the pipeline file, without a shell, and reads the summary as JSON from standard input.',
    },
    webhook: {
      type: 'string',
      pattern: webhookPattern,
      description: 'An https address that gets the summary as JSON by POST.',
    },
  },
} as const;

const unattendedShape = {
  schedule: {
    type: 'object',
    description: 'When `shotlist schedule` runs the pipeline.',
    additionalProperties: false,
    required: ['cron'],
    properties: {
      cron: {
        type: ['string', 'array'],
        minLength: 1,
        minItems: 1,
        items: { type: 'string', minLength: 1 },
        description:
          'One or more cron expressions of five fields: minute, hour, day of the month, month, day of the week. For example `0 7 * * *`.',
      },
      time_zone: {
        type: 'string',
        minLength: 1,
        default: 'UTC',
        description:
          'An IANA time zone such as `Europe/Berlin`. `run.date`, `budget.per_day` and `budget.per_month` follow it.',
      },
    },
  },
  on_finish: { ...hookSchema, description: 'What to call when a run has ended.' },
  on_doubt: {
    ...hookSchema,
    description: 'What to call when a run has ended with tasks in doubt.',
  },
  outputs: {
    type: 'object',
    description: 'Where else results are kept, so that every checkout can fetch them.',
    additionalProperties: false,
    required: ['store'],
    properties: {
      store: {
        type: 'string',
        minLength: 1,
        description:
          'A folder, relative to the pipeline file, or an S3-compatible bucket: `s3://bucket/prefix`.',
      },
    },
  },
} as const;

// The JSON Schema of `items:`. `items-check.ts` checks what a schema cannot word well.

const scalar = { type: ['string', 'number', 'boolean'] } as const;

/** Entries of include and exclude: values of a matrix, and fields of the item as `item.<field>`. */
const rules = {
  type: 'array',
  items: { type: 'object', minProperties: 1, additionalProperties: scalar },
} as const;

export const itemsSchema = {
  type: 'object',
  description:
    'What the steps are applied to: one of `glob`, `csv`, `jsonl` and `values`, with or without a `matrix`; or only a `matrix`. Without items, each step runs once.',
  additionalProperties: false,
  properties: {
    glob: {
      type: ['string', 'array'],
      minLength: 1,
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description:
        'A pattern for files, or a list of patterns, relative to the pipeline file. In a list, a pattern that begins with `!` excludes files.',
    },
    csv: {
      type: 'string',
      minLength: 1,
      description:
        'A CSV file with a header, relative to the pipeline file. Each row is an item, and each column is `${{ item.<column> }}`.',
    },
    delimiter: {
      type: 'string',
      enum: [',', ';', '\t', '|'],
      description:
        'What separates the values in a row of the CSV file. The default is a comma, or a tab for a `.tsv` file.',
    },
    types: {
      type: 'object',
      additionalProperties: { type: 'string', enum: ['string', 'number', 'boolean'] },
      description:
        'The types of columns of the CSV file: `string`, `number` or `boolean`. Without a type, a column is text, so the value `01234` stays `01234`.',
    },
    jsonl: {
      type: 'string',
      minLength: 1,
      description:
        'A file with one JSON object per line, relative to the pipeline file. Each line is an item, and its fields are `${{ item.<field> }}`.',
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
            description: 'The name of the item. The default is its number, from 1.',
          },
        },
      },
      description:
        'Objects, whose fields are `${{ item.<field> }}`, or single values, which are `${{ item.value }}`.',
    },
    matrix: {
      type: 'object',
      minProperties: 1,
      properties: {
        include: {
          ...rules,
          description:
            'Values to add to the combinations that they do not contradict. An entry that fits no combination becomes a combination of its own. `item.<field>` limits an entry to some items.',
        },
        exclude: {
          ...rules,
          description:
            'Combinations to leave out. An entry leaves out every combination with all of its values. `item.<field>` limits an entry to some items.',
        },
      },
      propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_-]*$', maxLength: 100 },
      additionalProperties: { type: 'array', minItems: 1, items: { ...scalar, minLength: 1 } },
      description:
        'Lists of values by name. There is an item for every combination, which is `${{ matrix.<name> }}`; with `glob`, `csv`, `jsonl` or `values`, for every combination with each item.',
    },
    key: {
      type: 'string',
      minLength: 1,
      description:
        'The field or column that names the items, in tasks such as `talk:ann`. Each item needs a key of its own.',
    },
    when: {
      type: ['string', 'boolean'],
      default: true,
      description:
        'A CEL expression over `item`, `matrix`, `inputs` and `env`. Items for which it is false are left out.',
    },
  },
} as const;

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

const pipelineShape = {
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
          description: 'The number of items in progress at once: 1 to 100,000.',
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

// The schemas of defaults and profiles, which `resolveReuse` replaces by what they mean.

/** The prefix of the keys that shotlist ignores: they hold values for anchors. */
export const extensionPrefix = 'x-';

const { retry, timeout, estimate } = stepSchema.properties;

const kindDefaults = {
  type: 'object',
  description: 'Values for every step of this kind that does not set them.',
  additionalProperties: false,
  properties: {
    description: { type: 'string', description: 'A note for people who read the file.' },
    with: {
      type: 'object',
      description: 'Values of `with` for every step of this kind. A step’s own values win.',
    },
    retry,
    timeout,
    estimate,
  },
} as const;

const defaults = {
  type: ['object', 'null'],
  description:
    'Values for all steps that do not set them. A step’s own value wins, then the value of its kind.',
  additionalProperties: false,
  properties: {
    description: { type: 'string', description: 'A note for people who read the file.' },
    retry,
    timeout,
    limits: {
      type: 'object',
      additionalProperties: { type: 'integer', minimum: 1, maximum: 1000 },
      description:
        'The number of tasks in progress at once, by step kind: the same as `limits.steps`.',
    },
    kinds: {
      type: 'object',
      additionalProperties: kindDefaults,
      description: 'Defaults by step kind.',
    },
  },
} as const;

const patch = (description: string): Schema => ({ type: ['object', 'null'], description });
const replacement = (description: string): Schema => ({ description });

/** The fields of a pipeline that a profile may change. */
export const profileFields: Readonly<Record<string, Schema>> = {
  inputs: patch('Changes of the inputs, for example of their defaults.'),
  items: patch('Changes of the items.'),
  defaults: patch('Changes of the defaults.'),
  budget: patch('Changes of the budget.'),
  limits: patch('Changes of the limits.'),
  steps: patch('Changes of the steps, by name.'),
  on_failure: replacement('Replaces `on_failure`.'),
  max_failures: replacement('Replaces `max_failures`.'),
  max_credits_lost: replacement('Replaces `max_credits_lost`.'),
  confirm_above: replacement('Replaces `confirm_above`.'),
  output: replacement('Replaces the folder of all downloads.'),
};

const profiles: Schema = {
  type: 'object',
  description: 'Changes of this file, by name. `--profile <name>` chooses one.',
  propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$', maxLength: 100 },
  additionalProperties: {
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      description: { type: 'string', description: 'A note for people who read the file.' },
      with: {
        type: 'object',
        additionalProperties: { type: ['object', 'null'] },
        description: 'Values of `with`, by the name of the step: short for `steps.<name>.with`.',
      },
      ...profileFields,
    },
  },
};

export const reuseFields: Readonly<Record<'defaults' | 'profiles', Schema>> = {
  defaults,
  profiles,
};

/** Of these fields alone; the rest of the file is checked after they are resolved. */
export const reuseSchema: Schema = { type: 'object', properties: reuseFields };

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

/** Of a file as people write it: the published schema. Editors complete the names of the step kinds in `defaults`. */
export const pipelineSchema = (kinds: readonly StepKind[]): Schema => ({
  ...pipelineShape,
  patternProperties: { [`^${extensionPrefix}`]: {} },
  properties: {
    ...pipelineShape.properties,
    ...reuseFields,
    defaults: { ...defaults, properties: { ...defaults.properties, kinds: kindsSchema(kinds) } },
    steps: stepsSchema(kinds),
  },
  $defs: { ...withSchemas(kinds), 'kind-defaults': kindDefaults },
});

const kindsSchema = (kinds: readonly StepKind[]): Schema => ({
  ...defaults.properties.kinds,
  additionalProperties: false,
  properties: Object.fromEntries(
    kinds.map(({ name }) => [name, { $ref: '#/$defs/kind-defaults' }]),
  ),
});

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
