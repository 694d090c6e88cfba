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

/** One schema for each kind of fault. */
export const faultSchemas = {
  latency: {
    type: 'object',
    description: 'The request waits before the service handles it.',
    additionalProperties: false,
    required: ['fault', 'for'],
    properties: {
      fault: { const: 'latency' },
      ...draw,
      for: duration,
      up_to: {
        ...duration,
        description: 'If present, the time is random between `for` and `up_to`.',
      },
    },
  },
  throttled: {
    type: 'object',
    description: 'Status 429 with Retry-After. The request has no effect.',
    additionalProperties: false,
    required: ['fault'],
    properties: {
      fault: { const: 'throttled' },
      ...draw,
      retry_after: {
        type: 'integer',
        minimum: 0,
        description: 'Seconds; default 1.',
      },
    },
  },
  unavailable: {
    type: 'object',
    description: 'Status 502 or 503. The request has no effect.',
    additionalProperties: false,
    required: ['fault'],
    properties: {
      fault: { const: 'unavailable' },
      ...draw,
      status: { type: 'integer', enum: [502, 503], description: 'Default 503.' },
    },
  },
  broken: {
    type: 'object',
    description: 'Status 500 or 504: the request may have had an effect.',
    additionalProperties: false,
    required: ['fault', 'when'],
    properties: {
      fault: { const: 'broken' },
      ...draw,
      when,
      status: { type: 'integer', enum: [500, 504], description: 'Default 500.' },
    },
  },
  reset: {
    type: 'object',
    description: 'The connection is reset, without an answer.',
    additionalProperties: false,
    required: ['fault', 'when'],
    properties: { fault: { const: 'reset' }, ...draw, when },
  },
  silence: {
    type: 'object',
    description: 'The service never answers, and the connection stays open.',
    additionalProperties: false,
    required: ['fault', 'when'],
    properties: { fault: { const: 'silence' }, ...draw, when },
  },
  truncated: {
    type: 'object',
    description: 'An upload or a download is cut off.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'truncated' }, ...draw, at_bytes: atBytes },
  },
  stalled: {
    type: 'object',
    description:
      'An upload or a download stalls, and the connection stays open. A stalled upload ends when the service stops.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'stalled' }, ...draw, at_bytes: atBytes },
  },
  corrupt: {
    type: 'object',
    description: 'One byte of an upload or a download is changed.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'corrupt' }, ...draw, at_bytes: atBytes },
  },
  'lost-upload': {
    type: 'object',
    description: 'The service answers an upload with 200, but the file is not stored.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'lost-upload' }, ...draw },
  },
  'early-expiry': {
    type: 'object',
    description: 'An address expires earlier than its expires_at says.',
    additionalProperties: false,
    required: ['fault', 'after'],
    properties: { fault: { const: 'early-expiry' }, ...draw, after: duration },
  },
  'job-error': {
    type: 'object',
    description: 'The project ends in error and is refunded.',
    additionalProperties: false,
    required: ['fault', 'code'],
    properties: {
      fault: { const: 'job-error' },
      ...draw,
      code: {
        type: 'string',
        minLength: 1,
        description: 'Such as `no_source_face`, `processing_timeout` or `unknown_error`.',
      },
      message: { type: 'string', minLength: 1 },
    },
  },
  surcharge: {
    type: 'object',
    description: 'A project costs more than its price by a percentage, rounded up.',
    additionalProperties: false,
    required: ['fault', 'percent', 'when'],
    properties: {
      fault: { const: 'surcharge' },
      ...draw,
      percent: { type: 'integer', minimum: -50, maximum: 100, description: 'Below zero: less.' },
      when: {
        ...when,
        description:
          '`before`: the creation charges more. `after`: only the final charge is raised.',
      },
    },
  },
  'job-hang': {
    type: 'object',
    description: 'The project stays in `rendering` for ever.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'job-hang' }, ...draw },
  },
  'event-lost': {
    type: 'object',
    description: 'The event is never sent.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'event-lost' }, ...draw },
  },
  'event-late': {
    type: 'object',
    description: 'The event is sent late; later events of the same project wait for it.',
    additionalProperties: false,
    required: ['fault', 'by'],
    properties: { fault: { const: 'event-late' }, ...draw, by: duration },
  },
  'event-doubled': {
    type: 'object',
    description: 'The event is sent twice.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'event-doubled' }, ...draw },
  },
  'event-out-of-order': {
    type: 'object',
    description: 'The event waits for a later event of the same project, for 5 seconds at most.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'event-out-of-order' }, ...draw },
  },
  'event-wrong-signature': {
    type: 'object',
    description: 'The event has a wrong signature. Drawn for each attempt.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'event-wrong-signature' }, ...draw },
  },
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
