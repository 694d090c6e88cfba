// The schema of a compacted state file's line about a task without a job.
import { task } from './line-schemas.ts';

export const code = {
  type: 'string',
  description: 'What kind of failure: it decides the advice.',
} as const;

/** A task that failed before its job began, or a task of a failed job that is now skipped. */
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
