// What the core reads of a job, a run and a task, and what happens to them. A state file has the lines of record/, of which these
// are a view.

import type { FromSchema } from 'json-schema-to-ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Schema, validatorOf } from '../base/schema.ts';
import { reasonOf } from '../contract/api/bounds.ts';
import { eventSchemas } from './event-schemas.ts';
import { kindProblem } from './job-kind.ts';
import type { jobSchema, outputSchema, pastSchema, runSchema } from './line-schemas.ts';
import type { taskSchema } from './task-schema.ts';

export type RunLine = FromSchema<typeof runSchema>;
export type JobLine = FromSchema<typeof jobSchema>;
export type PastAttempt = FromSchema<typeof pastSchema>;
export type OutputLine = FromSchema<typeof outputSchema>;
export type TaskLine = FromSchema<typeof taskSchema>;

type EventsByName = {
  readonly [Name in keyof typeof eventSchemas]: FromSchema<(typeof eventSchemas)[Name]>;
};
export type EventName = keyof EventsByName;
export type EventLine = EventsByName[EventName];
/** An event before the journal assigns its time. */
export type NewEvent = { [Name in EventName]: Omit<EventsByName[Name], 'at'> }[EventName];

/** The part of a job's result that the journal keeps. */
export function resultOf(job: JobLine): JsonObject {
  return isObject(job.result) ? job.result : {};
}

/** An event whose JSON is parsed. The error is the end of a sentence about it. */
export function readEvent(value: unknown): Result<EventLine, string> {
  if (!isObject(value)) return err('it is not an object');
  const schema = schemasByEvent.get(value['event']);
  if (schema === undefined) return err(`there is no event ${JSON.stringify(value['event'])}`);
  const validate = validatorOf<EventLine>(schema);
  if (!validate(value)) return err(reasonOf(validate.errors));
  const wrong = 'kind' in value ? kindProblem(value.kind, value.event === 'intent') : undefined;
  return wrong === undefined ? ok(value) : err(wrong);
}

const schemasByEvent: ReadonlyMap<unknown, Schema> = new Map(Object.entries(eventSchemas));
