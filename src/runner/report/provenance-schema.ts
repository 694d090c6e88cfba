// The published schema of provenance files.
import type { Schema } from '../../contract/base/schema.ts';
import { credits, fingerprint, task } from '../journal/line-schemas.ts';

export const provenanceId = 'https://shotlist.dev/schemas/provenance.schema.json';

const sha256 = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'In lower case.',
} as const;
const uses = { type: 'string', description: 'The step kind.' } as const;
const take = {
  type: 'integer',
  minimum: 1,
  description: '2 or more: someone paid for another take of the same request.',
} as const;
const parameters = {
  type: 'object',
  description:
    'The request, with defaults and without cosmetic fields. `shotlist:<fingerprint>/<output>` is a value of another job. Addresses are left out.',
} as const;
const inputs = {
  type: 'array',
  items: { $ref: '#/$defs/input' },
  description: 'What the request took from other jobs.',
} as const;

export const provenanceSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: provenanceId,
  title: 'Where an output of shotlist comes from',
  description:
    'The file `<output>.json`, which runs write if the pipeline says `provenance: true`.',
  type: 'object',
  additionalProperties: false,
  required: [
    ...['$schema', 'pipeline', 'rehearsal', 'task', 'step', 'output', 'uses', 'fingerprint'],
    ...['take', 'credits'],
  ],
  properties: {
    $schema: { type: 'string', const: provenanceId },
    pipeline: { type: 'string', description: 'The name of the pipeline.' },
    rehearsal: {
      type: 'boolean',
      description: 'True if the local service made the output: then, it is a stand-in.',
    },
    task: {
      ...task,
      description: 'The download that saved the output: step:item, or the step alone.',
    },
    step: { type: 'string', description: 'The step of that download.' },
    item: { type: 'string', description: 'The key of the item; absent for all items together.' },
    output: {
      type: 'object',
      additionalProperties: false,
      required: ['file', 'index', 'bytes', 'sha256'],
      properties: {
        file: { type: 'string', description: 'The name of the file, without its folder.' },
        index: { type: 'integer', minimum: 0, description: 'Which of the project’s downloads.' },
        bytes: { type: 'integer', minimum: 0 },
        sha256,
      },
    },
    uses,
    fingerprint: { ...fingerprint, description: 'Names what determines the result.' },
    take,
    project: { type: 'string', description: 'The id of the project at the service.' },
    credits: { ...credits, description: 'What the project cost, refund included.' },
    run: {
      type: 'object',
      additionalProperties: false,
      required: ['number', 'began'],
      properties: {
        number: { type: 'integer', minimum: 1 },
        began: { type: 'string', description: 'ISO 8601.' },
      },
      description: 'The run that paid for it.',
    },
    parameters,
    inputs,
  },
  $defs: {
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['field', 'fingerprint', 'output'],
      properties: {
        field: { type: 'string', description: 'The field of the request that takes the value.' },
        fingerprint: { ...fingerprint, description: 'Names the job that the value comes from.' },
        output: { type: 'string', description: 'Which output of that job.' },
        uses,
        file: { type: 'string', description: 'For an upload: the file at the time.' },
        sha256,
        take,
        parameters,
        inputs,
      },
    },
  },
};
