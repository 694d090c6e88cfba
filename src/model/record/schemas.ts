// The schemas of the lines of a state file, published as schemas/state.schema.json. The types derive from them, and the
// order of the fields in a line is their order here.
import type { Schema } from '../../base/schema.ts';
import { assetPath, creditsSchema, serviceId } from '../../contract/api/bounds.ts';

/** The format that this version writes. */
export const formatVersion = 4;

const text = { type: 'string' } as const;
const name = { type: 'string', minLength: 1 } as const;
const time = {
  type: 'string',
  pattern:
    '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$',
  description: 'ISO 8601, in UTC, with milliseconds: times sort as texts.',
} as const;
export const fingerprint = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'Names the job by what made it.',
} as const;
export const task = { ...name, description: 'step:item, or the step alone.' } as const;
const runId = {
  ...name,
  description: 'When the run began, and a random part. Never numbered again.',
} as const;
const count = { type: 'integer', minimum: 0 } as const;

export const headerSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['shotlist', 'pipeline', 'service'],
  description: 'The first line, equal in all clones.',
  properties: {
    shotlist: { type: 'integer', const: formatVersion, description: 'The format version.' },
    pipeline: { type: 'string', description: 'The pipeline’s name.' },
    service: {
      type: 'string',
      description: 'The base address that the ids belong to, or "rehearsal".',
    },
  },
} as const;

export const runSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['run', 'at'],
  properties: {
    run: runId,
    at: { ...time, description: 'When it began.' },
    ended: { ...time, description: 'When it ended; absent: it was interrupted.' },
    due: { ...time, description: 'The due time of the schedule that the run is for.' },
    creations: {
      ...count,
      description:
        'How many creations it began, said when it ends. If there are fewer here, lines are missing.',
    },
    inputs: { ...text, description: 'A digest of the inputs of the pipeline.' },
  },
} as const;

export const faultSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['code', 'message'],
  properties: { code: text, message: text },
} as const;

export const taskLineSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['task', 'at', 'run', 'ending', 'fault'],
  description: 'A task that ended without a job. It counts until a job of the task has news.',
  properties: {
    task,
    at: time,
    run: runId,
    ending: {
      type: 'string',
      enum: ['failed', 'skipped', 'done'],
      description: 'done: what an earlier line says no longer stands.',
    },
    fault: faultSchema,
  },
} as const;

export const markSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['mark', 'id', 'at'],
  properties: {
    mark: {
      type: 'string',
      enum: ['away', 'lost'],
      description:
        'away: a run with an engine has its record in a database, and what this file says may be less than what was paid. lost: creations of a run are missing; nothing is bought until a person accepts that.',
    },
    id: {
      ...name,
      description:
        'away: the id of the run in the database. lost: the run that lacks them, or a digest of lines that cannot be read.',
    },
    at: time,
    over: { ...time, description: 'When the mark was taken off.' },
    epoch: {
      ...count,
      description: 'away: how many coordinators have begun this run. The larger one counts.',
    },
    creations: {
      ...count,
      description:
        'away: how many creations the database has, at least. lost: how many are missing.',
    },
  },
} as const;

export const attemptStates = [
  'intended',
  'doubt',
  'refused',
  'created',
  'failed',
  'complete',
  'deleted',
] as const;

/** The measure of a creation's price: charges for the same kind of order are compared by their size. */
export const measureSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['of', 'amount'],
  properties: {
    of: { type: 'string', description: 'The tool, and the settings that may decide its price.' },
    amount: {
      type: 'number',
      exclusiveMinimum: 0,
      description: 'Credits by the price list where it has a price, else seconds, else 1.',
    },
  },
} as const;

const resultSchema = {
  type: 'object',
  description: 'What stays true of the result: no address.',
  properties: { id: serviceId, file_path: assetPath },
} as const;

const said = (what: string) => ({ ...time, description: `A person said: ${what}` }) as const;

export const attemptSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'run', 'at', 'state', 'reserve'],
  description: 'One creation that was about to be sent.',
  properties: {
    name: { ...name, description: 'Unique; sent as the project’s name.' },
    run: { ...runId, description: 'The run that sent it: its charge counts there.' },
    at: { ...time, description: 'When it was about to be sent.' },
    state: {
      type: 'string',
      enum: attemptStates,
      description:
        'intended: about to be sent; read back from disk, the outcome is unknown. doubt: it may have been paid. ' +
        'refused: certainly not charged. created: paid, not finished. failed: the project failed. complete: paid and done. ' +
        'deleted: the project was deleted. Of two records, the later in this order counts.',
    },
    reserve: {
      ...creditsSchema,
      description: 'The estimate: set aside until the service says what was charged.',
    },
    measure: measureSchema,
    charge: {
      type: 'object',
      additionalProperties: false,
      required: ['credits', 'read'],
      description: 'What the service charged, refunds taken off, as it said last.',
      properties: { credits: creditsSchema, read: { ...time, description: 'When it said so.' } },
    },
    project: serviceId,
    clash: {
      type: 'array',
      items: serviceId,
      description: 'Records name several projects for this creation: a person must say which.',
    },
    settled: {
      type: 'object',
      additionalProperties: false,
      required: ['project', 'at'],
      description: 'Which project of a clash a person named.',
      properties: { project: serviceId, at: time },
    },
    gone: { ...time, description: 'When the service no longer had the project.' },
    missing: {
      ...time,
      description: 'When the project was not found, and nobody could say that it should be.',
    },
    result: resultSchema,
    fault: faultSchema,
    fields: {
      type: 'object',
      additionalProperties: text,
      description: 'Six digits of the digest of each field, to tell what has changed.',
    },
    to: {
      description: 'Where the result goes; leaves the line when all its files are recorded.',
      anyOf: [
        { type: 'string', const: 'kept' },
        {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['task', 'path'],
            properties: { task, path: { ...text, description: 'Below the output folder.' } },
          },
        },
      ],
    },
    adopted: { const: true, description: 'Another state file paid for it.' },
    forgotten: said('pay for it once more.'),
    gaveUp: said('it is given up; its credits count as spent.'),
    notCharged: said('it was not charged.'),
    accepted: said('yes, it was paid twice.'),
  },
} as const;

/** A sound of thirty years. */
const mostSeconds = 1_000_000_000;

const storeName = {
  type: 'string',
  pattern: '^[0-9a-f]{16}$',
  description: 'The store that has the file: the first 16 digits of the SHA-256 of its address.',
} as const;

export const outputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['of', 'task', 'index', 'at', 'path', 'bytes', 'sha256'],
  properties: {
    of: { ...name, description: 'The attempt whose result it is.' },
    task,
    index: { ...count, description: 'Which of the project’s downloads.' },
    at: time,
    path: { type: 'string', description: 'Relative to the pipeline file.' },
    bytes: count,
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    seconds: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: mostSeconds,
      description: 'How long a sound is.',
    },
    stored: storeName,
    kept: { const: true, description: 'It is in .shotlist/kept: its own place was taken.' },
    unchecked: {
      const: true,
      description:
        'The storage told neither the length nor the hash of the file, and its format does not show where it ends.',
    },
    pruned: { ...time, description: 'When shotlist prune was told to remove the file.' },
    forgotten: said('download it again.'),
  },
} as const;

/** The number of a take. The first is 1. */
const takeNumber = { type: 'integer', minimum: 1 } as const;

export const jobSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['job', 'kind', 'tasks', 'attempts', 'outputs'],
  properties: {
    job: fingerprint,
    kind: { type: 'string', description: 'The step kind.' },
    tasks: { type: 'array', items: task, description: 'The tasks of the job, sorted.' },
    attempts: { type: 'array', items: attemptSchema, description: 'The oldest first.' },
    outputs: { type: 'array', items: outputSchema, description: 'The saved files.' },
    supplied: {
      type: 'object',
      additionalProperties: false,
      required: ['at', 'result'],
      description: 'The result of a free job: an upload or a face detection.',
      properties: { at: time, result: resultSchema },
    },
    take: {
      type: 'object',
      additionalProperties: false,
      required: ['of', 'number'],
      description: 'shotlist reroll: another take of a request that had a result.',
      properties: {
        of: { ...fingerprint, description: 'The job of the first take.' },
        number: { ...takeNumber, minimum: 2, description: 'The second take is 2.' },
      },
    },
    picked: {
      type: 'object',
      additionalProperties: false,
      required: ['take', 'at'],
      description: 'shotlist pick: the take that counts, for the job of the first one.',
      properties: { take: takeNumber, at: time },
    },
  },
} as const;

/** Published as schemas/state.schema.json. */
export const stateSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/state.schema.json',
  title: 'A line of a shotlist state file',
  description:
    'JSON Lines. A header first, then any number of lines for each mark, run, task and job. Lines of one key are joined.',
  anyOf: [headerSchema, markSchema, runSchema, taskLineSchema, jobSchema],
};
