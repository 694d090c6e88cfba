// The schema of the faults file: the source for validation, TypeScript types and editors (schemas/faults.schema.json).
import type { FromSchema } from 'json-schema-to-ts';
import { durationPattern } from '../../base/duration.ts';
import type { Schema } from '../../base/schema.ts';

const duration = {
  type: 'string',
  pattern: durationPattern,
  description: 'A time such as 200ms, 5s or 2m.',
} as const;

const when = {
  type: 'string',
  enum: ['before', 'after'],
  description:
    '`before`: the request has no effect. `after`: the project is created and charged, and only the answer is lost.',
} as const;

const atBytes = {
  type: 'integer',
  minimum: 0,
  description: 'The number of bytes before the fault; default: half of the transfer.',
} as const;

/** The targets and the frequency: the same fields in every rule. */
const draw = {
  on: {
    description:
      'The targets; `*` stands for any text. Requests: `POST /v1/face-swap-photo`. Jobs: the tool, ' +
      '`face-swap-photo`. Events: the kind, `image.completed`. Addresses: `uploads` or `downloads`. Default: all.',
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
    ],
  },
  probability: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'The probability for each match; default 1. Drawn from the seed of the service.',
  },
  count: {
    type: 'integer',
    minimum: 1,
    description: 'At most this many times; default: no limit.',
  },
  skip: { type: 'integer', minimum: 0, description: 'Skips the first matches; default 0.' },
} as const;

/** The schema of a rule, with the fields of its kind, some of which are required. */
function ruleSchema<
  const Name extends string,
  const Required extends readonly string[],
  const Own extends Readonly<Record<string, Schema>>,
>(fault: Name, description: string, required: Required, own: Own) {
  return {
    type: 'object',
    description,
    additionalProperties: false,
    required: ['fault', ...required],
    properties: { fault: { const: fault }, ...draw, ...own },
  } as const;
}

/** One schema for each kind of fault. */
export const faultSchemas = {
  latency: ruleSchema('latency', 'The request waits before the service handles it.', ['for'], {
    for: duration,
    up_to: {
      ...duration,
      description: 'If present, the time is random between `for` and `up_to`.',
    },
  }),
  throttled: ruleSchema(
    'throttled',
    'Status 429 with Retry-After. The request has no effect.',
    [],
    { retry_after: { type: 'integer', minimum: 0, description: 'Seconds; default 1.' } },
  ),
  unavailable: ruleSchema('unavailable', 'Status 502 or 503. The request has no effect.', [], {
    status: { type: 'integer', enum: [502, 503], description: 'Default 503.' },
  }),
  broken: ruleSchema('broken', 'Status 500 or 504: the request may have had an effect.', ['when'], {
    when,
    status: { type: 'integer', enum: [500, 504], description: 'Default 500.' },
  }),
  reset: ruleSchema('reset', 'The connection is reset, without an answer.', ['when'], { when }),
  silence: ruleSchema(
    'silence',
    'The service never answers, and the connection stays open.',
    ['when'],
    { when },
  ),
  truncated: ruleSchema('truncated', 'An upload or a download is cut off.', [], {
    at_bytes: atBytes,
  }),
  stalled: ruleSchema(
    'stalled',
    'An upload or a download stalls, and the connection stays open. A stalled upload ends when the service stops.',
    [],
    { at_bytes: atBytes },
  ),
  corrupt: ruleSchema('corrupt', 'One byte of an upload or a download is changed.', [], {
    at_bytes: atBytes,
  }),
  'lost-upload': ruleSchema(
    'lost-upload',
    'The service answers an upload with 200, but the file is not stored.',
    [],
    {},
  ),
  'early-expiry': ruleSchema(
    'early-expiry',
    'An address expires earlier than its expires_at says.',
    ['after'],
    { after: duration },
  ),
  'job-error': ruleSchema('job-error', 'The project ends in error and is refunded.', ['code'], {
    code: {
      type: 'string',
      minLength: 1,
      description: 'Such as `no_source_face`, `processing_timeout` or `unknown_error`.',
    },
    message: { type: 'string', minLength: 1 },
  }),
  surcharge: ruleSchema(
    'surcharge',
    'A project costs more than its price by a percentage, rounded up.',
    ['percent', 'when'],
    {
      percent: { type: 'integer', minimum: -50, maximum: 100, description: 'Below zero: less.' },
      when: {
        ...when,
        description:
          '`before`: the creation charges more. `after`: only the final charge is raised.',
      },
    },
  ),
  'job-hang': ruleSchema('job-hang', 'The project stays in `rendering` for ever.', [], {}),
  'event-lost': ruleSchema('event-lost', 'The event is never sent.', [], {}),
  'event-late': ruleSchema(
    'event-late',
    'The event is sent late; later events of the same project wait for it.',
    ['by'],
    { by: duration },
  ),
  'event-doubled': ruleSchema('event-doubled', 'The event is sent twice.', [], {}),
  'event-out-of-order': ruleSchema(
    'event-out-of-order',
    'The event waits for a later event of the same project, for 5 seconds at most.',
    [],
    {},
  ),
  'event-wrong-signature': ruleSchema(
    'event-wrong-signature',
    'The event has a wrong signature. Drawn for each attempt.',
    [],
    {},
  ),
} as const;

export type FaultName = keyof typeof faultSchemas;
/** A rule of one kind of fault, or of any kind. */
export type FaultRule<Name extends FaultName = FaultName> = Extract<
  AnyRule,
  { readonly fault: Name }
>;
type AnyRule = { [Name in FaultName]: FromSchema<(typeof faultSchemas)[Name]> }[FaultName];

export function isFaultName(text: unknown): text is FaultName {
  return typeof text === 'string' && Object.hasOwn(faultSchemas, text);
}

/** The content of a faults file, and of a request to the hub: `{faults: [rule, …]}`. */
export interface FaultsDocument {
  readonly faults: readonly FaultRule[];
}

export const faultsSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/faults.schema.json',
  title: 'shotlist faults',
  description: 'Faults for the local service to inject: shotlist serve --faults faults.yaml',
  type: 'object',
  additionalProperties: false,
  required: ['faults'],
  properties: { faults: { type: 'array', items: { oneOf: Object.values(faultSchemas) } } },
};
