// The schemas of what the core reads of runs and jobs.
import { assetPath, creditsSchema, mostInAll, serviceId } from '../contract/api/bounds.ts';
import { measureSchema } from './record/schemas.ts';

export const fingerprint = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'Names the job by content.',
} as const;
export const task = {
  type: 'string',
  minLength: 1,
  description: 'step:item, or the step alone.',
} as const;
export const time = { type: 'string', description: 'ISO 8601.' } as const;
export const credits = creditsSchema;
/** A sum of the credits of many projects. */
const sum = { type: 'integer', minimum: 0, maximum: mostInAll } as const;
/** The lasting part of a result. Its id and path go into requests, so they must be usable. */
export const result = {
  type: 'object',
  description: 'What stays true of the result: no address.',
  properties: { id: serviceId, file_path: assetPath },
} as const;

export const due = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  description: 'ISO 8601: the due time of the schedule that the run is for.',
} as const;

export const runSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['run', 'at', 'charged', 'refunded'],
  properties: {
    run: { type: 'integer', minimum: 1, description: 'Counts the runs that did something.' },
    due,
    at: { ...time, description: 'When it began.' },
    ended: {
      ...time,
      description: 'When it ended; absent: it was interrupted, and the next run continues it.',
    },
    charged: { ...sum, description: 'Credits charged in this run.' },
    refunded: { ...sum, description: 'Credits given back in this run.' },
  },
} as const;

/** A sound of thirty years. */
const mostSeconds = 1_000_000_000;

export const outputFields = {
  task,
  index: { type: 'integer', minimum: 0, description: 'Which of the project’s downloads.' },
  path: { type: 'string', description: 'Relative to the pipeline file.' },
  bytes: { type: 'integer', minimum: 0 },
  sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  duration: {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: mostSeconds,
    description: 'How long a sound is, in seconds.',
  },
  unproved: {
    const: true,
    description:
      'The storage told neither the length nor the hash of the file, and its format does not show where it ends.',
  },
} as const;

export const storeName = {
  type: 'string',
  pattern: '^[0-9a-f]{16}$',
  description:
    'The store that has the file: the first 16 digits of the SHA-256 of its address in `outputs.store`.',
} as const;

export const outputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['task', 'index', 'path', 'bytes', 'sha256'],
  properties: {
    ...outputFields,
    stored: storeName,
    pruned: { ...time, description: 'When shotlist prune was told to remove the file.' },
  },
} as const;

/** The number of a take. The first is 1. */
export const takeNumber = { type: 'integer', minimum: 1 } as const;

/** Set for each take after the first. */
export const takeSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['of', 'number'],
  description: 'shotlist reroll: another take of a request that had a result.',
  properties: {
    of: { ...fingerprint, description: 'The job of the first take.' },
    number: { ...takeNumber, minimum: 2, description: 'The second take is 2.' },
  },
} as const;

export const pickedSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['take', 'at'],
  description: 'shotlist pick: the take that counts, for the job of the first one.',
  properties: { take: takeNumber, at: { ...time, description: 'When it was picked.' } },
} as const;

export const pastSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'credits'],
  properties: {
    name: { type: 'string', description: 'The name that was sent.' },
    project: serviceId,
    credits: { ...credits, description: 'What it cost in the end.' },
    adopted: { const: true, description: 'No run of this state file was charged for it.' },
  },
} as const;

export const errorSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['code', 'message'],
  properties: { code: { type: 'string' }, message: { type: 'string' } },
} as const;

export const jobSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['job', 'kind', 'state', 'tasks', 'attempt', 'at'],
  properties: {
    job: fingerprint,
    kind: { type: 'string', description: 'The step kind.' },
    state: {
      type: 'string',
      enum: [
        'supplied',
        'intended',
        'created',
        'complete',
        'deleted',
        'failed',
        'doubt',
        'forgotten',
      ],
      description:
        'supplied: a free job is done. intended: a creation was about to be sent; read back from disk, ' +
        'the outcome is unknown. created: paid, not finished. complete: paid and done. deleted: complete, then deleted. ' +
        'failed: not charged, refunded or written off. doubt: it may have been paid. ' +
        'forgotten: a person wants the job done again.',
    },
    tasks: { type: 'array', items: task, description: 'The tasks of the job, sorted.' },
    attempt: { type: 'integer', minimum: 0, description: 'How often a creation was begun.' },
    at: { ...time, description: 'When it entered this state.' },
    name: { type: 'string', description: 'The name sent with the last attempt; unique to it.' },
    reserve: {
      ...credits,
      description: 'The estimate: set aside until the service says what was charged.',
    },
    measure: measureSchema,
    sender: {
      type: 'integer',
      minimum: 1,
      description: 'The run that sent the last attempt: its charge and its refund count there.',
    },
    runId: {
      type: 'string',
      minLength: 1,
      description: 'The id of that run in the state file.',
    },
    project: serviceId,
    credits: { ...credits, description: 'Credits charged, refund included.' },
    added: {
      ...credits,
      description: 'How much of them the service added after the creation’s answer.',
    },
    peak: {
      ...credits,
      description:
        'The most that it was ever charged, where some of that was given back: the next of its kind may be charged so too.',
    },
    expires: { ...time, description: 'When the first of its addresses ran out, as it completed.' },
    result,
    error: errorSchema,
    outputs: { type: 'array', items: outputSchema },
    past: {
      type: 'array',
      items: pastSchema,
      description: 'Earlier attempts that the service took, or may have: money’s trace.',
    },
    take: takeSchema,
    picked: pickedSchema,
    adopted: {
      ...time,
      description:
        'When the job was taken over from the user’s receipts, or from an earlier version of this file: no run of this state file was charged for it.',
    },
  },
} as const;
