// Reads what is left of an unreadable line: complete lines inside it, and complete single fields. Nothing is guessed: a
// field counts only if its name, its value and the end of its value are there.

import { asJson, isObject, type Json, valueIn } from '../../base/json.ts';
import type { Result } from '../../base/result.ts';
import { type Schema, validatorOf } from '../../base/schema.ts';
import { serviceId } from '../../contract/api/bounds.ts';
import { kindProblem } from '../../model/job-kind.ts';
import {
  type Header,
  type JobLine,
  type OutputLine,
  parseLine,
  type RunLine,
  type StateLine,
} from '../../model/line.ts';
import { headerSchema, jobSchema, outputSchema, runSchema } from '../../model/line-schemas.ts';

/** The fields of any kind of line. */
export type Fields = Partial<Omit<Header, 'shotlist'>> &
  Partial<RunLine> &
  Partial<JobLine> & {
    readonly shotlist?: number;
    readonly seq?: number;
    readonly event?: string;
    readonly task?: string;
  };

const wordSchema = { type: 'string', minLength: 1 } as const;
const fieldSchemas: Readonly<Record<string, Schema>> = {
  ...headerSchema.properties,
  ...runSchema.properties,
  ...jobSchema.properties,
  shotlist: { type: 'integer', minimum: 1 },
  seq: { type: 'integer', minimum: 1 },
  event: wordSchema,
  task: wordSchema,
  /** An id goes into an address. With other characters, it is no longer an id. */
  project: { allOf: [serviceId, { pattern: '^[\\x21-\\x7e]+$' }] },
};
const fieldsSchema: Schema = { type: 'object', properties: fieldSchemas };

/** The fields of an object whose values are valid, regardless of its other fields. */
export function fieldsOf(object: Readonly<Record<string, unknown>>): Fields {
  const whole = Object.fromEntries(
    Object.entries(object)
      .map(([key, value]) => [key, key === 'past' ? namelessPast(value) : value] as const)
      .filter(([key, value]) => {
        const schema = Object.hasOwn(fieldSchemas, key) ? fieldSchemas[key] : undefined;
        return schema !== undefined && validatorOf(schema)(value);
      }),
  );
  return validatorOf<Fields>(fieldsSchema)(whole) ? withPossibleKind(whole) : {};
}

/** A step kind that cannot be right is not believed: that of the task's step counts instead. */
function withPossibleKind(fields: Fields): Fields {
  const { kind, ...rest } = fields;
  const creates = fields.project !== undefined || fields.event === 'intent';
  return kind === undefined || kindProblem(kind, creates) === undefined ? fields : rest;
}

/** Earlier attempts without a usable project id: their credits must stay in the ledger. */
function namelessPast(past: unknown): unknown {
  if (!Array.isArray(past)) return past;
  return past.map((attempt: unknown) => {
    if (!isObject(attempt) || validatorOf(serviceId)(attempt['project'])) return attempt;
    const { project: _unusable, ...rest } = attempt;
    return rest;
  });
}

const jobFields: Schema = { type: 'object', properties: jobSchema.properties };

/** The fields that a job line can have. */
export function jobFieldsOf(fields: Fields): Partial<JobLine> {
  const own = Object.fromEntries(
    Object.entries(fields).filter(([key]) => Object.hasOwn(jobSchema.properties, key)),
  );
  return validatorOf<Partial<JobLine>>(jobFields)(own) ? own : {};
}

export interface Within {
  /** Complete lines. */
  readonly lines: readonly StateLine[];
  /** The text between those lines, if it contains anything. */
  readonly rests: readonly string[];
}

/** The most characters to scan for one line: a line of open braces must not take forever. */
const maxScannedChars = 1 << 24;

/** How a line or a row begins. */
const lineBegin = /[{[]"/g;

/** The character with which a decoder replaces invalid bytes. */
const replacementCharacter = '\ufffd';

/**
 * The lines inside a text: for example two lines that were joined, or a line after zeros. `read` reads a line or a row.
 */
export function linesWithin(
  text: string,
  read: (text: string) => Result<StateLine, string> = parseLine,
): Within {
  const lines: StateLine[] = [];
  const rests: string[] = [];
  let [from, rest, looked] = [0, 0, 0];
  for (;;) {
    lineBegin.lastIndex = from;
    const start = lineBegin.exec(text)?.index;
    if (start === undefined || looked > maxScannedChars) break;
    const end = closeOf(text, start);
    looked += (end ?? text.length) - start;
    const inner = end === undefined ? undefined : text.slice(start, end);
    const line =
      inner === undefined || inner.includes(replacementCharacter) ? undefined : read(inner);
    if (end === undefined || line === undefined || !line.ok) {
      from = start + 1;
      continue;
    }
    lines.push(line.value);
    rests.push(text.slice(rest, start));
    rest = end;
    from = end;
  }
  rests.push(text.slice(rest));
  return { lines, rests: rests.filter((left) => /[^\0\s\ufeff]/.test(left)) };
}

/** The project ids in a text that is no line, each once. They may be those of earlier attempts. */
export function projectsIn(text: string): readonly string[] {
  const found = [...text.matchAll(/"project":"([^"\\\ufffd]*)"/g)].map(([, id = '']) =>
    fieldsOf({ project: id }),
  );
  return [...new Set(found.flatMap(({ project }) => (project === undefined ? [] : [project])))];
}

/** All complete texts in a text that is no line, without those that have escapes. */
export const textsIn = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"\\\ufffd]*)"/g)].map(([, inner = '']) => inner);

/** Names that inner objects use too. If the nesting is unclear, fields with these names are ignored. */
const innerNames = new Set([
  ...Object.keys(outputSchema.properties),
  ...Object.keys(jobSchema.properties.past.items.properties),
  ...Object.keys(jobSchema.properties.measure.properties),
  'id',
]);

/** The complete fields in a text that is not a line. If a name occurs twice, the first field counts. */
export function fieldsWithin(text: string): Fields {
  const found = new Map<string, Json>();
  const outputs: OutputLine[] = [];
  // The second alternative matches an output in a list.
  const names = /"([A-Za-z0-9_]+)":|\{"task":/g;
  let looked = 0;
  let outside = /^[\0\s\ufeff]*\{"/.test(text);
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    const name = match[1];
    const start = name === undefined ? match.index : names.lastIndex;
    const value = valueAt(text, start);
    const opens = name !== undefined && /[[{]/.test(text[start] ?? '');
    looked += value?.length ?? text.length - start;
    if (looked > maxScannedChars) break;
    if (value === undefined) {
      if (opens) outside = false;
      names.lastIndex = start + 1;
      continue;
    }
    names.lastIndex = start + value.length;
    if (name !== undefined && !found.has(name) && (outside || !innerNames.has(name)))
      found.set(name, value.json);
    if (name === undefined && isOutput(value.json)) outputs.push(value.json);
  }
  const fields = fieldsOf(Object.fromEntries(found));
  return fields.outputs === undefined && outputs.length > 0 ? { ...fields, outputs } : fields;
}

const isOutput = (value: unknown): value is OutputLine =>
  isObject(value) && validatorOf<OutputLine>(outputSchema)(value);

const scalar = /"(?:[^"\\]|\\.)*"(?=[,}\]])|-?\d+(?=[,}\]])/y;

/** A complete JSON value that begins here. Numbers and texts count only if something follows them. */
function valueAt(
  text: string,
  start: number,
): { readonly json: Json; readonly length: number } | undefined {
  scalar.lastIndex = start;
  const first = text[start];
  const end = first === '{' || first === '[' ? closeOf(text, start) : undefined;
  const part = end === undefined ? scalar.exec(text)?.[0] : text.slice(start, end);
  if (part === undefined || part.includes(replacementCharacter)) return undefined;
  const json = valueIn(part);
  return json === undefined ? undefined : { json: asJson(json), length: part.length };
}

/** The end of the object or list that begins here; undefined if it is not closed. */
function closeOf(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
