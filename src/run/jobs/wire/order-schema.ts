// The schemas of job orders, which a worker reads from a database that others write to.

import { isObject } from '../../../base/json.ts';
import { err, ok, type Result } from '../../../base/result.ts';
import { type Schema, validatorOf } from '../../../base/schema.ts';
import { filePath, mostListed, reasonOf, serviceId } from '../../../contract/api/bounds.ts';
import { downloadSchema } from '../../../contract/api/project.ts';
import {
  credits,
  fingerprint,
  measureSchema,
  takeSchema,
  task,
} from '../../../model/line-schemas.ts';
import type { JobOrder } from '../job.ts';
import {
  jsonObject,
  kindName,
  milliseconds,
  moment,
  output,
  place,
  sha256,
  source,
  text,
} from './field-schemas.ts';

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
  ({
    type: 'object',
    additionalProperties: false,
    required: ['key', 'task', 'kind', 'attempts', 'operation', ...required],
    properties: { ...common, operation: { type: 'string', const: operation }, ...properties },
  }) as const;

const entry = <const R extends readonly string[], const P extends object>(
  required: R,
  properties: P,
) => ({ type: 'object', additionalProperties: false, required, properties }) as const;

/** The name of an attempt. */
const name = { type: 'string', minLength: 1, maxLength: 1_000 } as const;
const attempt = { type: 'integer', minimum: 1 } as const;

const expectation = {
  type: 'object',
  additionalProperties: false,
  required: ['kind', 'measure', 'why'],
  properties: {
    kind: kindName,
    measure: measureSchema,
    otherwise: { type: 'number', minimum: 0 },
    why: text,
  },
} as const;

const download = { ...downloadSchema, additionalProperties: false } as const;

const names = { type: 'object', additionalProperties: { type: 'string' } } as const;

/** By operation. */
export const orderSchemas = {
  upload: order('upload', ['fingerprint', 'from', 'name', 'content'], {
    fingerprint,
    from: place,
    name: filePath,
    content: sha256,
    stored: output,
    anew: { type: 'boolean', const: true },
  }),
  reupload: order('reupload', ['files', 'result'], {
    files: {
      type: 'array',
      items: entry(['fingerprint', 'output', 'from'], { fingerprint, output, from: source }),
    },
    result: jsonObject,
  }),
  detect: order('detect', ['fingerprint', 'body', 'timeoutMs'], {
    fingerprint,
    detection: serviceId,
    names,
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
      names,
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
    names,
    timeoutMs: milliseconds,
    adopted: { type: 'boolean', const: true },
    saveTo: filePath,
  }),
  await: order('await', ['fingerprint', 'name', 'reserve', 'timeoutMs'], {
    fingerprint,
    name,
    reserve: credits,
    timeoutMs: milliseconds,
    names,
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
    sources: { type: 'array', items: entry(['output', 'from'], { output, from: source }) },
  }),
  store: order('store', ['fingerprint', 'sources'], {
    fingerprint,
    sources: { type: 'array', items: entry(['output', 'from'], { output, from: place }) },
  }),
  delete: order('delete', ['fingerprint', 'tool', 'project'], {
    fingerprint,
    tool: kindName,
    project: serviceId,
    onlyStored: { type: 'array', items: output },
    onDisk: { type: 'array', items: entry(['output', 'from'], { output, from: place }) },
  }),
  digest: order('digest', ['places'], { places: { type: 'array', items: place } }),
} as const;

const byOperation: ReadonlyMap<unknown, Schema> = new Map(Object.entries(orderSchemas));

/** The error is the end of a sentence about the order. */
export function readOrder(value: unknown): Result<JobOrder, string> {
  if (!isObject(value)) return err('it is not an object');
  const schema = byOperation.get(value['operation']);
  if (schema === undefined)
    return err(`there is no operation ${JSON.stringify(value['operation'])}`);
  const validate = validatorOf<JobOrder>(schema);
  return validate(value) ? ok(value) : err(reasonOf(validate.errors));
}
