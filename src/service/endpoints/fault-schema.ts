// The faults file: what shall go wrong, where, and how often. The one source of its shape, for ajv, for TypeScript
// and for editors (schemas/faults.schema.json).
import type { FromSchema } from 'json-schema-to-ts';
import { durationPattern } from '../../contract/base/duration.ts';
import type { Schema } from '../../contract/base/schema.ts';

const duration = {
  type: 'string',
  pattern: durationPattern,
  description: 'A time such as 200ms, 5s or 2m.',
} as const;

const when = {
  type: 'string',
  enum: ['before', 'after'],
  description:
    '`before`: nothing was done yet. `after`: the project was created (and charged), only the answer is lost.',
} as const;

const atBytes = {
  type: 'integer',
  minimum: 0,
  description: 'After so many bytes; default: half of the transfer.',
} as const;

/** Where and how often; the same in every rule. */
const draw = {
  on: {
    description:
      'What it happens to; `*` stands for any text. Requests: `POST /v1/face-swap-photo`. Jobs: the tool, ' +
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
    description: 'How likely it is each time; default 1. Drawn from the seed of the service.',
  },
  count: { type: 'integer', minimum: 1, description: 'At most so many times; default: no limit.' },
  skip: { type: 'integer', minimum: 0, description: 'Lets the first ones pass; default 0.' },
} as const;

/** One schema for each kind of fault. */
export const faultSchemas = {
  latency: {
    type: 'object',
    description: 'The request waits before it is looked at.',
    additionalProperties: false,
    required: ['fault', 'for'],
    properties: {
      fault: { const: 'latency' },
      ...draw,
      for: duration,
      up_to: {
        ...duration,
        description: 'With this, a time drawn evenly between `for` and `up_to`.',
      },
    },
  },
  throttled: {
    type: 'object',
    description: 'Status 429 with Retry-After. Nothing is done.',
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
    description: 'Status 502 or 503. Never after a project was created (facts.md, Rate limits).',
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
    description: 'Status 500 or 504, which says nothing about what was done.',
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
    description: 'The connection is reset and no answer comes.',
    additionalProperties: false,
    required: ['fault', 'when'],
    properties: { fault: { const: 'reset' }, ...draw, when },
  },
  silence: {
    type: 'object',
    description: 'The answer is never sent; the connection stays open.',
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
      'An upload or a download stops moving; the connection stays open. An upload is let go when the service stops.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'stalled' }, ...draw, at_bytes: atBytes },
  },
  corrupt: {
    type: 'object',
    description: 'One byte of an upload or a download is changed on its way.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'corrupt' }, ...draw, at_bytes: atBytes },
  },
  'lost-upload': {
    type: 'object',
    description: 'An upload is answered with 200, and yet its file is not in storage.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'lost-upload' }, ...draw },
  },
  'early-expiry': {
    type: 'object',
    description: 'An address stops working sooner than its expires_at says.',
    additionalProperties: false,
    required: ['fault', 'after'],
    properties: { fault: { const: 'early-expiry' }, ...draw, after: duration },
  },
  'job-error': {
    type: 'object',
    description: 'The project ends in error, refunded.',
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
    description: 'A project is charged so many percent more than its price, rounded up.',
    additionalProperties: false,
    required: ['fault', 'percent', 'when'],
    properties: {
      fault: { const: 'surcharge' },
      ...draw,
      percent: { type: 'integer', minimum: -50, maximum: 100, description: 'Below zero: less.' },
      when: {
        ...when,
        description:
          '`before`: the creation answers and charges so. `after`: the final charge is so.',
      },
    },
  },
  'job-hang': {
    type: 'object',
    description: 'The project stays in rendering for ever.',
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
    description: 'The event is sent later; those behind it of the same project wait for it.',
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
    description:
      'The event is held back until a later one of the same project was sent, or for 5 seconds.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'event-out-of-order' }, ...draw },
  },
  'event-wrong-signature': {
    type: 'object',
    description: 'The event is signed with a secret that nobody has. Drawn for each attempt.',
    additionalProperties: false,
    required: ['fault'],
    properties: { fault: { const: 'event-wrong-signature' }, ...draw },
  },
} as const;

export type FaultName = keyof typeof faultSchemas;
/** A rule of one kind of fault, or of any. */
export type FaultRule<Name extends FaultName = FaultName> = Extract<
  AnyRule,
  { readonly fault: Name }
>;
type AnyRule = { [Name in FaultName]: FromSchema<(typeof faultSchemas)[Name]> }[FaultName];

export function isFaultName(text: unknown): text is FaultName {
  return typeof text === 'string' && Object.hasOwn(faultSchemas, text);
}

/** What the file and the hub take: `{faults: [rule, …]}`. */
export interface FaultsDocument {
  readonly faults: readonly FaultRule[];
}

export const faultsSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://shotlist.dev/schemas/faults.schema.json',
  title: 'shotlist faults',
  description: 'What shall go wrong in the local service: shotlist serve --faults faults.yaml',
  type: 'object',
  additionalProperties: false,
  required: ['faults'],
  properties: { faults: { type: 'array', items: { oneOf: Object.values(faultSchemas) } } },
};
