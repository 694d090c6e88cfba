// The lines of a state file: a header, then what past runs came to, then the events of the run that lasts.
// The schema is published as schemas/state.schema.json; the types derive from it.
import type { FromSchema } from 'json-schema-to-ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Schema, validatorOf } from '../base/schema.ts';

const fingerprint = {
  type: 'string',
  pattern: '^[0-9a-f]{64}$',
  description: 'Names the job by content.',
} as const;
const task = {
  type: 'string',
  minLength: 1,
  description: 'step:item, or the step alone.',
} as const;
const time = { type: 'string', description: 'ISO 8601.' } as const;
const credits = { type: 'integer', minimum: 0 } as const;
const seq = {
  type: 'integer',
  minimum: 1,
  description: 'Counts the events of a journal, from 1, without gaps.',
} as const;

const runId = {
  type: 'string',
  minLength: 1,
  description: '--run-id: runs with one id share one budget.',
} as const;

export const headerSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['shotlist', 'pipeline', 'service'],
  properties: {
    shotlist: { type: 'integer', const: 1, description: 'The format version.' },
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
  required: ['run', 'at', 'charged', 'refunded'],
  properties: {
    run: { type: 'integer', minimum: 1, description: 'Counts the runs that did something.' },
    id: runId,
    at: { ...time, description: 'When it began.' },
    ended: {
      ...time,
      description: 'When it ended; absent: it was interrupted, the next run goes on with it.',
    },
    charged: { ...credits, description: 'Credits charged in this run.' },
    refunded: { ...credits, description: 'Credits given back in this run.' },
  },
} as const;

export const outputSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['task', 'index', 'path', 'bytes', 'sha256'],
  properties: {
    task,
    index: { type: 'integer', minimum: 0, description: 'Which of the project’s downloads.' },
    path: { type: 'string', description: 'Relative to the pipeline file.' },
    bytes: { type: 'integer', minimum: 0 },
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
} as const;

/** What a creation's price is measured by: charges of the same kind of order are compared by their size. */
const measureSchema = {
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

const pastSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'credits'],
  properties: {
    name: { type: 'string', description: 'The name that was sent.' },
    project: { type: 'string', minLength: 1 },
    credits: { ...credits, description: 'What it cost in the end.' },
  },
} as const;

const errorSchema = {
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
        'nobody knows. created: paid, in the works. complete: paid and done. deleted: complete, then deleted. ' +
        'failed: not charged, refunded or written off. doubt: it may have been paid. ' +
        'forgotten: a person wants it anew.',
    },
    tasks: { type: 'array', items: task, description: 'The tasks that it serves, sorted.' },
    attempt: { type: 'integer', minimum: 0, description: 'How often a creation was begun.' },
    at: { ...time, description: 'When it came to this state.' },
    name: { type: 'string', description: 'The name sent with the last attempt; unique to it.' },
    reserve: {
      ...credits,
      description: 'The estimate: set aside until the service says what was charged.',
    },
    measure: measureSchema,
    sender: { type: 'integer', minimum: 1, description: 'The run that sent the last attempt.' },
    project: { type: 'string', minLength: 1, description: 'The service’s id.' },
    credits: { ...credits, description: 'Credits charged, refund included.' },
    added: {
      ...credits,
      description: 'How much of them the service added after the creation’s answer.',
    },
    expires: { ...time, description: 'When the first of its addresses ran out, as it completed.' },
    result: { type: 'object', description: 'What stays true of the result: no address.' },
    error: errorSchema,
    outputs: { type: 'array', items: outputSchema },
    past: {
      type: 'array',
      items: pastSchema,
      description: 'Earlier attempts that the service took, or may have: money’s trace.',
    },
  },
} as const;

const code = {
  type: 'string',
  description: 'What kind of failure: it decides the advice.',
} as const;

/** A task with no job to speak for it: it failed before one began, or was skipped. */
export const taskSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['task', 'state', 'why'],
  properties: {
    task,
    state: { type: 'string', enum: ['failed', 'skipped'] },
    why: { type: 'string' },
    code,
  },
} as const;

const event = <
  const Name extends string,
  const P extends object,
  const R extends readonly string[],
>(
  name: Name,
  required: R,
  properties: P,
) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['seq', 'event', 'at', ...required],
    properties: { seq, event: { type: 'string', const: name }, at: time, ...properties },
  }) as const;

export const eventSchemas = {
  run: event('run', ['run'], { run: { type: 'integer', minimum: 1 }, id: runId }),
  ended: event('ended', [], {}),
  intent: event('intent', ['job', 'task', 'kind', 'attempt', 'name', 'reserve'], {
    job: fingerprint,
    task,
    kind: { type: 'string' },
    attempt: { type: 'integer', minimum: 1 },
    name: { type: 'string' },
    reserve: credits,
    measure: measureSchema,
  }),
  created: event('created', ['job', 'project', 'credits'], {
    job: fingerprint,
    project: { type: 'string', minLength: 1 },
    credits,
  }),
  settled: event('settled', ['job', 'status', 'credits'], {
    job: fingerprint,
    status: { type: 'string', enum: ['complete', 'error', 'canceled'] },
    credits,
    expires: time,
    result: { type: 'object' },
    error: errorSchema,
  }),
  refused: event('refused', ['job', 'error'], { job: fingerprint, error: errorSchema }),
  /** A person gives a doubt up: it counts as charged, and may be begun anew. */
  abandoned: event('abandoned', ['job', 'credits', 'why'], {
    job: fingerprint,
    credits,
    why: { type: 'string' },
  }),
  doubt: event('doubt', ['job', 'why'], { job: fingerprint, why: { type: 'string' } }),
  supplied: event('supplied', ['job', 'task', 'kind', 'result'], {
    job: fingerprint,
    task,
    kind: { type: 'string' },
    result: { type: 'object' },
  }),
  serves: event('serves', ['job', 'task'], { job: fingerprint, task }),
  output: event('output', ['job', 'task', 'index', 'path', 'bytes', 'sha256'], {
    job: fingerprint,
    ...outputSchema.properties,
  }),
  deleted: event('deleted', ['job', 'task'], { job: fingerprint, task }),
  /** The service no longer has the project, and it was not us who deleted it. */
  gone: event('gone', ['job', 'why'], { job: fingerprint, why: { type: 'string' } }),
  /** The service says another figure than before. `project` may be one of an earlier attempt. */
  amended: event('amended', ['job', 'project', 'credits'], {
    job: fingerprint,
    project: { type: 'string', minLength: 1 },
    credits,
  }),
  /** A person wants it anew. With `task`: only the files that this task saved. */
  forgotten: event('forgotten', ['job'], { job: fingerprint, task }),
  failed: event('failed', ['task', 'why'], { task, why: { type: 'string' }, code }),
  skipped: event('skipped', ['task', 'why'], { task, why: { type: 'string' } }),
} as const;

export type Header = FromSchema<typeof headerSchema>;
export type RunLine = FromSchema<typeof runSchema>;
export type JobLine = FromSchema<typeof jobSchema>;
export type Measure = FromSchema<typeof measureSchema>;
export type PastAttempt = FromSchema<typeof pastSchema>;
export type OutputLine = FromSchema<typeof outputSchema>;
export type TaskLine = FromSchema<typeof taskSchema>;

type Events = {
  readonly [Name in keyof typeof eventSchemas]: FromSchema<(typeof eventSchemas)[Name]>;
};
export type EventName = keyof Events;
export type EventLine = Events[EventName];
/** An event before the journal has given it its number and time. */
export type Happened = { [Name in EventName]: Omit<Events[Name], 'seq' | 'at'> }[EventName];

/** What the journal keeps of a job's result. */
export function resultOf(job: JobLine): JsonObject {
  return isObject(job.result) ? job.result : {};
}

export type StateLine =
  | { readonly type: 'header'; readonly line: Header }
  | { readonly type: 'run'; readonly line: RunLine }
  | { readonly type: 'job'; readonly line: JobLine }
  | { readonly type: 'task'; readonly line: TaskLine }
  | { readonly type: 'event'; readonly line: EventLine };

export const stateSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/state.schema.json',
  title: 'A line of a shotlist state file',
  description:
    'JSON Lines. One header, one line per run, one per job, one per task without a job, then events.',
  anyOf: [headerSchema, runSchema, jobSchema, taskSchema, ...Object.values(eventSchemas)],
};

/** Reads one line. On failure: what is wrong with it, as the end of a sentence. */
export function parseLine(text: string): Result<StateLine, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return err('it is not JSON');
  }
  if (typeof value !== 'object' || value === null) return err('it is not an object');
  if ('event' in value) {
    const schema = schemaOfEvent(value.event);
    if (schema === undefined) return err(`there is no event ${JSON.stringify(value.event)}`);
    return read<EventLine>(schema, value, (line) => ({ type: 'event', line }));
  }
  if ('shotlist' in value)
    return read<Header>(headerSchema, value, (line) => ({ type: 'header', line }));
  if ('run' in value) return read<RunLine>(runSchema, value, (line) => ({ type: 'run', line }));
  if ('job' in value) return read<JobLine>(jobSchema, value, (line) => ({ type: 'job', line }));
  if ('task' in value) return read<TaskLine>(taskSchema, value, (line) => ({ type: 'task', line }));
  return err('it is no line of a state file');
}

function schemaOfEvent(name: unknown): Schema | undefined {
  return Object.entries(eventSchemas).find(([known]) => known === name)?.[1];
}

function read<T>(
  schema: Schema,
  value: unknown,
  wrap: (line: T) => StateLine,
): Result<StateLine, string> {
  const validate = validatorOf<T>(schema);
  if (validate(value)) return ok(wrap(value));
  const [error] = validate.errors ?? [];
  return err(`${error?.instancePath || 'it'} ${error?.message ?? 'is not valid'}`);
}
