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
  const text = printableJson(orderedText(orderOf(kindOf(line)), asJson(line)));
  texts.set(line, text);
  return text;
}

/** Lines do not change, and each is written in more than one place. */
const texts = new WeakMap<Line, string>();

/** Fields that no schema names are sorted, behind the others. */
function orderedText({ fields, names, items }: Order, value: Json): string {
  // Most texts stand for themselves, and JSON.stringify takes several times as long to find that out.
  if (typeof value === 'string' && plain.test(value)) return `"${value}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) {
    let list = '';
    for (const one of value) list += `${list === '' ? '' : ','}${orderedText(items(), one)}`;
    return `[${list}]`;
  }
  let text = '';
  let written = 0;
  for (const { key, name, part } of fields) {
    const field = value[key];
    if (field === undefined) continue;
    text += `${written === 0 ? '' : ','}${name}${orderedText(part, field)}`;
    written += 1;
  }
  const keys = Object.keys(value);
  if (written === keys.length) return `{${text}}`;
  for (const key of keys.sort()) {
    const field = value[key];
    if (field === undefined || names.has(key)) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${orderedText(noOrder, field)}`;
  }
  return `{${text}}`;
}

const plain = /^[\x20!#-[\]-~]*$/;

const isList = (value: object): value is readonly Json[] => Array.isArray(value);

/** How values of a schema are written. */
interface Order {
  readonly fields: readonly { readonly key: string; readonly name: string; readonly part: Order }[];
  readonly names: ReadonlySet<string>;
  readonly items: () => Order;
}

const noOrder: Order = { fields: [], names: new Set(), items: () => noOrder };
const orders = new WeakMap<Schema, Order>();

function orderOf(schema: unknown): Order {
  if (!isObject(schema)) return noOrder;
  const known = orders.get(schema);
  if (known !== undefined) return known;
  const { properties, items } = schema;
  const parts = Object.entries(isObject(properties) ? properties : {});
  const fields = parts.map(([key, part]) => ({
    key,
    name: `${JSON.stringify(key)}:`,
    part: orderOf(part),
  }));
  const names = new Set(parts.map(([key]) => key));
  const order: Order = { fields, names, items: () => orderOf(items) };
  orders.set(schema, order);
  return order;
}
