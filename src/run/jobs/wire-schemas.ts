// The schemas of job orders and of their outcomes, as they cross a database that others write to: a worker reads orders, and a
// coordinator reads outcomes. The compiler compares them with the types of job.ts (test/old/run/jobs/wire/types.test.ts).

import { isObject } from '../../base/json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { type Schema, validatorOf } from '../../base/schema.ts';
import { filePath, mostListed, reasonOf, serviceId } from '../../contract/api/bounds.ts';
import { downloadSchema } from '../../contract/api/project.ts';
import {
  credits,
  fingerprint,
  outputFields,
  outputSchema,
  takeSchema,
  task,
} from '../../model/line-schemas.ts';
import { measureSchema } from '../../model/record/schemas.ts';
import type { JobOrder, JobOutcome } from './job.ts';

/** Text for people, or of the service: of any length, because an outcome is never refused for what it says. */
export const text = { type: 'string' } as const;

const jsonObject = { type: 'object' } as const;

/** The name of a step kind or of a tool. */
const kindName = { type: 'string', pattern: '^[a-z0-9-]{1,100}$' } as const;

export const milliseconds = { type: 'number', minimum: 0 } as const;

/** Milliseconds since 1970. */
const moment = { type: 'number' } as const;

const sha256 = outputFields.sha256;

/** With the dot; empty if the file has none. */
const extension = { type: 'string', pattern: '^(\\.[^\\p{Cc}\\p{Cs}/\\\\]{1,100})?$' } as const;

/** An object with these fields and no others. */
const closed = <const R extends readonly string[], const P extends object>(
  required: R,
  properties: P,
) => ({ type: 'object', additionalProperties: false, required, properties }) as const;

const exactly = <const Text extends string>(text: Text) =>
  ({ type: 'string', const: text }) as const;

const inputPlace = closed(['in', 'path'], { in: exactly('input'), path: filePath });
const outputPlace = closed(['in', 'path'], { in: exactly('output'), path: filePath });
const keptPlace = closed(['in', 'digest', 'extension'], {
  in: exactly('kept'),
  digest: sha256,
  extension,
});
const storePlace = closed(['in'], { in: exactly('store') });

const place = { anyOf: [inputPlace, outputPlace, keptPlace] } as const;
const source = { anyOf: [inputPlace, outputPlace, keptPlace, storePlace] } as const;

/** A recorded output whose file is read or written: its path is checked as that of an order. */
const output = {
  ...outputSchema,
  properties: { ...outputSchema.properties, path: filePath },
} as const;

// Orders

const common = {
  key: { type: 'string', minLength: 1, maxLength: 200 },
  task,
  kind: kindName,
  attempts: { type: 'integer', minimum: 1, maximum: 1_000_000 },
} as const;

const order = <
  const Name extends string,
  const R extends readonly string[],
  const P extends object,
>(
  operation: Name,
  required: R,
  properties: P,
) =>
  closed(['key', 'task', 'kind', 'attempts', 'operation', ...required], {
    ...common,
    operation: exactly(operation),
    ...properties,
  });

/** The name of an attempt. */
const name = { type: 'string', minLength: 1, maxLength: 1_000 } as const;
const attempt = { type: 'integer', minimum: 1 } as const;

const expectation = closed(['kind', 'measure', 'why'], {
  kind: kindName,
  measure: measureSchema,
  otherwise: { type: 'number', minimum: 0 },
  why: text,
});

const download = { ...downloadSchema, additionalProperties: false } as const;

/** By operation. */
export const orderSchemas = {
  upload: order('upload', ['fingerprint', 'from', 'name', 'content'], {
    fingerprint,
    from: place,
    name: filePath,
    content: sha256,
    stored: output,
  }),
  reupload: order('reupload', ['files', 'result'], {
    files: {
      type: 'array',
      items: closed(['fingerprint', 'output', 'from'], { fingerprint, output, from: source }),
    },
    result: jsonObject,
  }),
  detect: order('detect', ['fingerprint', 'body', 'timeoutMs'], {
    fingerprint,
    detection: serviceId,
    body: jsonObject,
    timeoutMs: milliseconds,
  }),
  create: order(
    'create',
    ['fingerprint', 'body', 'name', 'attempt', 'reserve', 'expectation', 'timeoutMs'],
    {
      fingerprint,
      body: jsonObject,
      name,
      attempt,
      reserve: credits,
      expectation,
      take: takeSchema,
      timeoutMs: milliseconds,
      saveTo: filePath,
    },
  ),
  attach: order('attach', ['fingerprint', 'project', 'settled', 'since', 'credits', 'timeoutMs'], {
    fingerprint,
    project: serviceId,
    settled: { type: 'boolean' },
    since: moment,
    credits,
    timeoutMs: milliseconds,
    adopted: { type: 'boolean', const: true },
    saveTo: filePath,
  }),
  await: order('await', ['fingerprint', 'name', 'reserve', 'timeoutMs'], {
    fingerprint,
    name,
    reserve: credits,
    timeoutMs: milliseconds,
    saveTo: filePath,
  }),
  download: order('download', ['fingerprint', 'tool', 'project', 'to'], {
    fingerprint,
    tool: kindName,
    project: serviceId,
    to: filePath,
    downloads: { type: 'array', maxItems: mostListed, items: download },
  }),
  copy: order('copy', ['fingerprint', 'to', 'sources'], {
    fingerprint,
    to: filePath,
    sources: { type: 'array', items: closed(['output', 'from'], { output, from: source }) },
  }),
  store: order('store', ['fingerprint', 'sources'], {
    fingerprint,
    sources: { type: 'array', items: closed(['output', 'from'], { output, from: place }) },
  }),
  delete: order('delete', ['fingerprint', 'tool', 'project'], {
    fingerprint,
    tool: kindName,
    project: serviceId,
    onlyStored: { type: 'array', items: output },
    onDisk: { type: 'array', items: closed(['output', 'from'], { output, from: place }) },
  }),
  digest: order('digest', ['places'], { places: { type: 'array', items: place } }),
} as const;

// Outcomes

const outcome = <
  const Name extends string,
  const R extends readonly string[],
  const P extends object,
>(
  name: Name,
  required: R,
  properties: P,
) => closed(['is', ...required], { is: exactly(name), ...properties });

const unreadable = closed(['place', 'why'], { place, why: text });

const bug = closed(['code', 'what', 'stack'], {
  code: { type: 'string', pattern: '^[0-9a-f]{8}$' },
  what: text,
  stack: text,
});

const rest = closed(['project', 'credits', 'since', 'timeoutMs', 'seenMs', 'pauseMs'], {
  project: serviceId,
  credits,
  since: moment,
  timeoutMs: milliseconds,
  seenMs: milliseconds,
  pauseMs: milliseconds,
});

/** By `is`. */
export const outcomeSchemas = {
  done: outcome('done', ['live'], { live: jsonObject }),
  ended: outcome('ended', ['ending', 'why'], {
    ending: { type: 'string', enum: ['failed', 'doubt', 'pending', 'rendering'] },
    why: text,
    diagnostic: { type: 'string', pattern: '^SL\\d{3}$' },
    code: text,
    again: { type: 'boolean' },
    rest,
    stops: {
      type: 'string',
      enum: ['unauthorized', 'outage', 'credits', 'unanswered', 'machine', 'step'],
    },
  }),
  read: outcome('read', ['unreadable'], { unreadable: { type: 'array', items: unreadable } }),
  withheld: outcome('withheld', ['why'], { why: text }),
  resupply: outcome('resupply', ['why'], { why: text }),
  bug: outcome('bug', ['bug'], { bug }),
} as const;

/** The error is the end of a sentence about the order. */
export const readOrder = (value: unknown): Result<JobOrder, string> =>
  readNamed<JobOrder>(value, { field: 'operation', of: 'operation' }, orderSchemas);

/** The error is the end of a sentence about the outcome. */
export const readOutcome = (value: unknown): Result<JobOutcome, string> =>
  readNamed<JobOutcome>(value, { field: 'is', of: 'outcome' }, outcomeSchemas);

/** A field of the value names its schema. */
function readNamed<T>(
  value: unknown,
  { field, of }: { readonly field: string; readonly of: string },
  schemas: Readonly<Record<string, Schema>>,
): Result<T, string> {
  if (!isObject(value)) return err('it is not an object');
  const name = value[field];
  const schema = Object.entries(schemas).find(([one]) => one === name)?.[1];
  if (schema === undefined) return err(`there is no ${of} ${JSON.stringify(name)}`);
  const validate = validatorOf<T>(schema);
  return validate(value) ? ok(value) : err(reasonOf(validate.errors));
}
