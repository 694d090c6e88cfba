// What the core reads of a job, a run and a task, and what happens to them. A database has both as they are; a state file
// has the lines of record/, of which these are a view.

import type { FromSchema } from 'json-schema-to-ts';
import { isObject, type JsonObject, valueIn } from '../base/json.ts';
import { printableJson } from '../base/printable.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Schema, validatorOf } from '../base/schema.ts';
import { reasonOf } from '../contract/api/bounds.ts';
import { eventSchemas } from './event-schemas.ts';
import { kindProblem } from './job-kind.ts';
import { jobSchema, type outputSchema, type pastSchema, runSchema } from './line-schemas.ts';
import type { measureSchema } from './record/schemas.ts';
import { taskSchema } from './task-schema.ts';

export type RunLine = FromSchema<typeof runSchema>;
export type JobLine = FromSchema<typeof jobSchema>;
export type Measure = FromSchema<typeof measureSchema>;
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

/** A line of a database, or an event. */
export type StateLine =
  | { readonly type: 'run'; readonly line: RunLine }
  | { readonly type: 'job'; readonly line: JobLine }
  | { readonly type: 'task'; readonly line: TaskLine }
  | { readonly type: 'event'; readonly line: EventLine };

/** A line of a database or of receipts as it is written. Characters that a terminal would not just display are escaped. */
export const lineText = (line: object): string => printableJson(JSON.stringify(line));

/** Reads one line of a database or of receipts. The error is the end of a sentence about the line. */
export function parseLine(text: string): Result<StateLine, string> {
  const value = valueIn(text);
  return value === undefined ? err('it is not JSON') : readValue(value);
}

/** Reads a line whose JSON is parsed. */
export function readValue(value: unknown): Result<StateLine, string> {
  if (!isObject(value)) return err('it is not an object');
  if ('event' in value) {
    const schema = schemasByEvent.get(value['event']);
    if (schema === undefined) return err(`there is no event ${JSON.stringify(value['event'])}`);
    return readLine<EventLine>(schema, value, (line) => ({ type: 'event', line }));
  }
  if ('run' in value) return readLine<RunLine>(runSchema, value, (line) => ({ type: 'run', line }));
  if ('job' in value) return readLine<JobLine>(jobSchema, value, (line) => ({ type: 'job', line }));
  if ('task' in value)
    return readLine<TaskLine>(taskSchema, value, (line) => ({ type: 'task', line }));
  return err('it is not a line that shotlist wrote');
}

const schemasByEvent: ReadonlyMap<unknown, Schema> = new Map(Object.entries(eventSchemas));

/** A value as a line, if the schema allows it. */
function readLine<T>(
  schema: Schema,
  value: unknown,
  wrap: (line: T) => StateLine,
): Result<StateLine, string> {
  const validate = validatorOf<T>(schema);
  if (!validate(value)) return err(reasonOf(validate.errors));
  const line = wrap(value);
  const wrong = kindProblemIn(line);
  return wrong === undefined ? ok(line) : err(wrong);
}

/** Why the step kind in a line cannot be right, as the end of a sentence. */
function kindProblemIn({ type, line }: StateLine): string | undefined {
  if (type === 'job') return kindProblem(line.kind, line.project !== undefined);
  return type === 'event' && 'kind' in line
    ? kindProblem(line.kind, line.event === 'intent')
    : undefined;
}
