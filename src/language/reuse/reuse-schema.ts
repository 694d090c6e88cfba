// The schemas of what a file reuses: defaults, included fragments, profiles.
import type { Schema } from '../../base/schema.ts';
import { stepSchema } from '../step-schema.ts';

const { retry, timeout, estimate } = stepSchema.properties;

/** The prefix of the keys that shotlist ignores: they hold values for anchors. */
export const extensionPrefix = 'x-';

const prefixPattern = '^[A-Za-z_][A-Za-z0-9_-]*$';

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

const include = {
  type: 'array',
  description: 'Fragments: files with steps that become steps of this pipeline.',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['file', 'as'],
    properties: {
      file: {
        type: 'string',
        minLength: 1,
        description: 'The fragment file, relative to this file and in the same repository.',
      },
      as: {
        type: 'string',
        pattern: prefixPattern,
        maxLength: 50,
        description: 'The names of the steps begin with this prefix and a dash: `face-swap`.',
      },
      with: {
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
        description: 'The inputs of the fragment. A value may be an expression.',
      },
      description: { type: 'string', description: 'A note for people who read the file.' },
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

/** The fields that `resolveReuse` replaces by what they mean. */
export const reuseFields: Readonly<Record<'defaults' | 'include' | 'profiles', Schema>> = {
  defaults,
  include,
  profiles,
};

/** The `defaults` of published schemas: editors complete the names of the step kinds. */
export const defaultsFor = (kinds: readonly string[]): Schema => ({
  ...defaults,
  properties: {
    ...defaults.properties,
    kinds: {
      ...defaults.properties.kinds,
      additionalProperties: false,
      properties: Object.fromEntries(kinds.map((name) => [name, { $ref: `#/$defs/${kindRef}` }])),
    },
  },
});

const kindRef = 'kind-defaults';
export const kindDefaultsDefinition: Schema = { [kindRef]: kindDefaults };

/** Of a file's reuse alone; the rest of the file is checked after it is resolved. */
export const reuseSchema: Schema = { type: 'object', properties: reuseFields };

/** A fragment without the content of its steps, which is checked in the pipeline that includes them. */
export const fragmentShape = (inputs: Schema): Schema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/fragment.schema.json',
  title: 'shotlist fragment',
  description: 'Steps that pipelines include, and the inputs that they take.',
  type: 'object',
  additionalProperties: false,
  required: ['steps'],
  patternProperties: { [`^${extensionPrefix}`]: {} },
  properties: {
    description: { type: 'string', description: 'A note for people who read the file.' },
    inputs,
    include,
    steps: { type: 'object', minProperties: 1, description: 'The steps, by name.' },
  },
});
