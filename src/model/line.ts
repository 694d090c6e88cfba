// The lines of a state file: a header, then the results of past runs, then the events of the current run. The schema is
// published as schemas/state.schema.json; the types derive from it.
import type { FromSchema } from 'json-schema-to-ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { printableJson } from '../base/printable.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Schema, validatorOf } from '../base/schema.ts';
import { reasonOf } from '../contract/api/bounds.ts';
import { eventSchemas } from './event-schemas.ts';
import { kindProblem } from './job-kind.ts';
import {
  formatVersion,
  headerSchema,
  jobSchema,
  type measureSchema,
  type outputSchema,
  type pastSchema,
  runSchema,
} from './line-schemas.ts';
import { rowSchema, templateSchema } from './row-schemas.ts';
import { taskSchema } from './task-schema.ts';

export type Header = FromSchema<typeof headerSchema>;
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
/** An event before the journal assigns its number and time. */
export type NewEvent = { [Name in EventName]: Omit<EventsByName[Name], 'seq' | 'at'> }[EventName];

/** The part of a job's result that the journal keeps. */
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
    'JSON Lines. One header, one line per run, one line or row per job, one line per task without a job, then events.',
  anyOf: [
    ...[headerSchema, runSchema, jobSchema, templateSchema, rowSchema, taskSchema],
    ...Object.values(eventSchemas),
  ],
};

/**
 * A line as it is written. Its value is the same, but each character that a terminal would not just display is escaped.
 */
export const lineText = (line: object): string => printableJson(JSON.stringify(line));

/** Why this version does not read a state file that begins with this line; undefined if it is not for its format. */
export function formatProblem(firstLine: string): string | undefined {
  const version = versionIn(firstLine);
  if (version === undefined || version === formatVersion) return undefined;
  return version > formatVersion
    ? `a newer shotlist wrote it, in format ${version}; this version reads format ${formatVersion}: upgrade shotlist`
    : `it has format ${version}, which no release of shotlist has written; this version reads format ${formatVersion}`;
}

/** A line without a version is not a header: its reader says what is wrong. */
function versionIn(line: string): number | undefined {
  const value = jsonIn(line);
  const version = isObject(value) ? value['shotlist'] : undefined;
  return typeof version === 'number' && Number.isSafeInteger(version) ? version : undefined;
}

/** Undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads one line. The error is the end of a sentence about the line. */
export function parseLine(text: string): Result<StateLine, string> {
  const value = jsonIn(text);
  return value === undefined ? err('it is not JSON') : readValue(value);
}

/** Reads a line whose JSON is parsed. */
export function readValue(value: unknown): Result<StateLine, string> {
  if (typeof value !== 'object' || value === null) return err('it is not an object');
  if ('event' in value) {
    const schema = schemaOfEvent(value.event);
    if (schema === undefined) return err(`there is no event ${JSON.stringify(value.event)}`);
    return readLine<EventLine>(schema, value, (line) => ({ type: 'event', line }));
  }
  if ('shotlist' in value)
    return readLine<Header>(headerSchema, value, (line) => ({ type: 'header', line }));
  if ('run' in value) return readLine<RunLine>(runSchema, value, (line) => ({ type: 'run', line }));
  if ('job' in value) return readLine<JobLine>(jobSchema, value, (line) => ({ type: 'job', line }));
  if ('task' in value)
    return readLine<TaskLine>(taskSchema, value, (line) => ({ type: 'task', line }));
  return err('it is not a line of a state file');
}

const schemasByEvent: ReadonlyMap<unknown, Schema> = new Map(Object.entries(eventSchemas));

const schemaOfEvent = (name: unknown): Schema | undefined => schemasByEvent.get(name);

/** A value as a line, if the schema allows it. */
export function readLine<T>(
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
