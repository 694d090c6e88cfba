// The schemas of a journal's events: the lines that are appended during a run.

import { serviceId } from '../contract/api/bounds.ts';
import {
  credits,
  due,
  errorSchema,
  fingerprint,
  outputFields,
  result,
  storeName,
  takeNumber,
  takeSchema,
  task,
  time,
} from './line-schemas.ts';
import { measureSchema } from './record/schemas.ts';
import { code } from './task-schema.ts';

export const event = <
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
    required: ['event', 'at', ...required],
    properties: { event: { type: 'string', const: name }, at: time, ...properties },
  }) as const;

export const eventSchemas = {
  run: event('run', ['run'], {
    id: { type: 'string', minLength: 1, description: 'When it began, and a random part.' },
    run: { type: 'integer', minimum: 1 },
    due,
  }),
  ended: event('ended', [], {}),
  intent: event('intent', ['job', 'task', 'kind', 'attempt', 'name', 'reserve'], {
    job: fingerprint,
    task,
    kind: { type: 'string' },
    attempt: { type: 'integer', minimum: 1 },
    name: { type: 'string' },
    reserve: credits,
    measure: measureSchema,
    take: takeSchema,
  }),
  created: event('created', ['job', 'project', 'credits'], {
    job: fingerprint,
    project: serviceId,
    credits,
  }),
  settled: event('settled', ['job', 'status', 'credits'], {
    job: fingerprint,
    status: {
      type: 'string',
      enum: ['complete', 'error', 'canceled', 'not_taken', 'abandoned'],
      description:
        'complete, error, canceled: how the project ended. not_taken: the service certainly did not accept the ' +
        'creation. abandoned: nobody can tell whether it did; a person gave up on it, and its credits count as charged.',
    },
    credits,
    expires: time,
    result,
    error: errorSchema,
  }),
  doubt: event('doubt', ['job', 'why'], {
    job: fingerprint,
    why: { type: 'string' },
  }),
  supplied: event('supplied', ['job', 'task', 'kind', 'result'], {
    job: fingerprint,
    task,
    kind: { type: 'string' },
    result,
  }),
  serves: event('serves', ['job', 'task'], { job: fingerprint, task }),
  output: event('output', ['job', 'task', 'index', 'path', 'bytes', 'sha256'], {
    job: fingerprint,
    ...outputFields,
  }),
  /** A saved file is in a store too. */
  stored: event('stored', ['job', 'task', 'index', 'store'], {
    job: fingerprint,
    task,
    index: outputFields.index,
    store: storeName,
  }),
  /** A person lets prune remove a saved file. Written before the file is removed. */
  pruned: event('pruned', ['job', 'task', 'index'], {
    job: fingerprint,
    task,
    index: outputFields.index,
  }),
  /** Deleted by a delete step, which `task` names, or elsewhere; then `why` says how that is known. Never both. */
  deleted: {
    ...event('deleted', ['job'], { job: fingerprint, task, why: { type: 'string' } }),
    minProperties: 4,
    maxProperties: 4,
  },
  /** The service reports a different charge than before. `project` may belong to an earlier attempt. */
  amended: event('amended', ['job', 'project', 'credits'], {
    job: fingerprint,
    project: serviceId,
    credits,
  }),
  /** A person wants the job done again. With `task`: only the files that this task saved. */
  forgotten: event('forgotten', ['job'], { job: fingerprint, task }),
  /** A person chooses the take that counts. `job`: that of the first take. */
  picked: event('picked', ['job', 'take'], { job: fingerprint, take: takeNumber }),
  failed: event('failed', ['task', 'why'], { task, why: { type: 'string' }, code }),
  /**
   * The task failed in an earlier run and is skipped now, so its failure no longer stands. Other skipped tasks leave no
   * event.
   */
  skipped: event('skipped', ['task', 'why'], { task, why: { type: 'string' } }),
} as const;
