// The schemas of job outcomes, which a coordinator reads from a database that others write to.

import { isObject } from '../../../base/json.ts';
import { err, ok, type Result } from '../../../base/result.ts';
import { type Schema, validatorOf } from '../../../base/schema.ts';
import { filePath, mostListed, reasonOf, serviceId } from '../../../contract/api/bounds.ts';
import { credits } from '../../../model/line-schemas.ts';
import type { JobOutcome } from '../job.ts';
import { jsonObject, milliseconds, moment, place, text } from './field-schemas.ts';

const outcome = <
  const Name extends string,
  const R extends readonly string[],
  const P extends object,
>(
  name: Name,
  required: R,
  properties: P,
) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['is', ...required],
    properties: { is: { type: 'string', const: name }, ...properties },
  }) as const;

const misnamed = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'holds'],
  properties: { path: filePath, holds: text },
} as const;

const unreadable = {
  type: 'object',
  additionalProperties: false,
  required: ['place', 'why'],
  properties: { place, why: text },
} as const;

const bug = {
  type: 'object',
  additionalProperties: false,
  required: ['code', 'what', 'stack'],
  properties: { code: { type: 'string', pattern: '^[0-9a-f]{8}$' }, what: text, stack: text },
} as const;

const rest = {
  type: 'object',
  additionalProperties: false,
  required: ['project', 'credits', 'since', 'timeoutMs', 'seenMs', 'pauseMs'],
  properties: {
    project: serviceId,
    credits,
    since: moment,
    timeoutMs: milliseconds,
    seenMs: milliseconds,
    pauseMs: milliseconds,
  },
} as const;

/** By `is`. */
export const outcomeSchemas = {
  done: outcome('done', ['live'], { live: jsonObject, misnamed }),
  ended: outcome('ended', ['ending', 'why'], {
    ending: { type: 'string', enum: ['failed', 'doubt', 'pending', 'rendering'] },
    why: text,
    diagnostic: { type: 'string', pattern: '^SL\\d{3}$' },
    code: text,
    named: { type: 'array', maxItems: mostListed, items: text },
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

const byName: ReadonlyMap<unknown, Schema> = new Map(Object.entries(outcomeSchemas));

/** The error is the end of a sentence about the outcome. */
export function readOutcome(value: unknown): Result<JobOutcome, string> {
  if (!isObject(value)) return err('it is not an object');
  const schema = byName.get(value['is']);
  if (schema === undefined) return err(`there is no outcome ${JSON.stringify(value['is'])}`);
  const validate = validatorOf<JobOutcome>(schema);
  return validate(value) ? ok(value) : err(reasonOf(validate.errors));
}
