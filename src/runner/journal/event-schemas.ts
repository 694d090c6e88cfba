// The events of a journal as schemas (design.md, The files a run leaves): what is appended while a run lasts.
import { serviceId } from '../../contract/api/bounds.ts';
import {
  code,
  credits,
  errorSchema,
  fingerprint,
  measureSchema,
  outputSchema,
  result,
  runId,
  task,
  time,
} from './line-schemas.ts';

const seq = {
  type: 'integer',
  minimum: 1,
  description: 'Counts the events of a journal, from 1, without gaps.',
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
    project: serviceId,
    credits,
  }),
  settled: event('settled', ['job', 'status', 'credits'], {
    job: fingerprint,
    status: { type: 'string', enum: ['complete', 'error', 'canceled'] },
    credits,
    expires: time,
    result,
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
    result,
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
    project: serviceId,
    credits,
  }),
  /** A person wants it anew. With `task`: only the files that this task saved. */
  forgotten: event('forgotten', ['job'], { job: fingerprint, task }),
  failed: event('failed', ['task', 'why'], { task, why: { type: 'string' }, code }),
  skipped: event('skipped', ['task', 'why'], { task, why: { type: 'string' } }),
} as const;
