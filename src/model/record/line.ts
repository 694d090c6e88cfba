// The lines of a state file (JSON Lines): a header, then any number of lines for each run, job, task and mark. Lines of one
// key are joined (join.ts), so their order and their number do not matter.
import type { FromSchema } from 'json-schema-to-ts';
import { asJson, isObject, type Json, valueIn } from '../../base/json.ts';
import { printableJson } from '../../base/printable.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Schema, validatorOf } from '../../base/schema.ts';
import { reasonOf } from '../../contract/api/bounds.ts';
import { kindProblem } from '../job-kind.ts';
import {
  type attemptSchema,
  type faultSchema,
  formatVersion,
  headerSchema,
  jobSchema,
  markSchema,
  type measureSchema,
  type outputSchema,
  runSchema,
  taskLineSchema,
} from './schemas.ts';

export type Header = FromSchema<typeof headerSchema>;
export type RunLine = FromSchema<typeof runSchema>;
export type TaskLine = FromSchema<typeof taskLineSchema>;
export type MarkLine = FromSchema<typeof markSchema>;
export type Job = FromSchema<typeof jobSchema>;
export type Attempt = FromSchema<typeof attemptSchema>;
export type AttemptState = Attempt['state'];
export type Output = FromSchema<typeof outputSchema>;
export type Fault = FromSchema<typeof faultSchema>;
export type Measure = FromSchema<typeof measureSchema>;
export type Charge = NonNullable<Attempt['charge']>;
/** What a person said of an attempt. */
export type MarkName = 'forgotten' | 'gaveUp' | 'notCharged' | 'accepted';

export type Line = Header | RunLine | TaskLine | MarkLine | Job;

/** By the field that only this kind of line has. Task lines and marks name a run, too. */
const kinds: readonly (readonly [key: string, schema: Schema])[] = [
  ['job', jobSchema],
  ['mark', markSchema],
  ['task', taskLineSchema],
  ['run', runSchema],
  ['shotlist', headerSchema],
];

const kindOf = (value: object): Schema | undefined => kinds.find(([key]) => key in value)?.[1];

/** Unknown fields are refused: a line is ours, or damage. The error is the end of a sentence about the line. */
export function parseLine(text: string): Result<Line, string> {
  const value = valueIn(text);
  if (value === undefined) return err('it is not JSON');
  if (!isObject(value)) return err('it is not an object');
  const schema = kindOf(value);
  if (schema === undefined) return err('it is not a line of a state file');
  const validate = validatorOf<Line>(schema);
  if (!validate(value)) return err(reasonOf(validate.errors));
  const wrong = 'job' in value ? kindProblem(value.kind, value.attempts.length > 0) : undefined;
  return wrong === undefined ? ok(value) : err(wrong);
}

/** Why this version does not read a file that has this header; undefined if it is not for its format. */
export function formatProblem(text: string): string | undefined {
  const value = valueIn(text);
  const version = isObject(value) ? value['shotlist'] : undefined;
  if (typeof version !== 'number' || !Number.isSafeInteger(version)) return undefined;
  if (version === formatVersion) return undefined;
  return version > formatVersion
    ? `a newer shotlist wrote it, in format ${version}; this version reads format ${formatVersion}: upgrade shotlist`
    : `it has format ${version}, which no release of shotlist has written; this version reads format ${formatVersion}`;
}

/**
 * The line as it is written: fields in the order of the schema, so that equal lines have equal text, and each character
 * escaped that a terminal would not just display.
 */
export function lineText(line: Line): string {
  const known = texts.get(line);
  if (known !== undefined) return known;
  const text = printableJson(orderedText(kindOf(line) ?? {}, asJson(line)));
  texts.set(line, text);
  return text;
}

/** Lines do not change, and each is written in more than one place. */
const texts = new WeakMap<Line, string>();

/** Fields that no schema names are sorted. */
function orderedText(schema: Schema, value: Json): string {
  if (Array.isArray(value)) {
    const { items } = schema;
    const entry: Schema = isObject(items) ? items : {};
    return `[${value.map((one) => orderedText(entry, one)).join(',')}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const { properties } = schema;
  const known: Schema = isObject(properties) ? properties : {};
  const others = Object.keys(value).filter((key) => !Object.hasOwn(known, key));
  let text = '';
  for (const key of [...Object.keys(known), ...others.sort()]) {
    const field = value[key];
    if (field === undefined) continue;
    const part = known[key];
    const fieldText = orderedText(isObject(part) ? part : {}, field);
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${fieldText}`;
  }
  return `{${text}}`;
}
