// The schemas of the fields that orders and outcomes have in common.
import { filePath } from '../../../contract/api/bounds.ts';
import { outputFields, outputSchema } from '../../../model/line-schemas.ts';

/** Text for people, or of the service: of any length, because an outcome is never refused for what it says. */
export const text = { type: 'string' } as const;

export const jsonObject = { type: 'object' } as const;

/** The name of a step kind or of a tool. */
export const kindName = { type: 'string', pattern: '^[a-z0-9-]{1,100}$' } as const;

export const milliseconds = { type: 'number', minimum: 0 } as const;

/** Milliseconds since 1970. */
export const moment = { type: 'number' } as const;

export const sha256 = outputFields.sha256;

/** With the dot; empty if the file has none. */
const extension = { type: 'string', pattern: '^(\\.[^\\p{Cc}\\p{Cs}/\\\\]{1,100})?$' } as const;

const pathIn = <const In extends string>(place: In) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['in', 'path'],
    properties: { in: { type: 'string', const: place }, path: filePath },
  }) as const;

const keptPlace = {
  type: 'object',
  additionalProperties: false,
  required: ['in', 'digest', 'extension'],
  properties: { in: { type: 'string', const: 'kept' }, digest: sha256, extension },
} as const;

const storePlace = {
  type: 'object',
  additionalProperties: false,
  required: ['in'],
  properties: { in: { type: 'string', const: 'store' } },
} as const;

export const place = { anyOf: [pathIn('input'), pathIn('output'), keptPlace] } as const;
export const source = {
  anyOf: [pathIn('input'), pathIn('output'), keptPlace, storePlace],
} as const;

/** A recorded output whose file is read or written: its path is checked as that of an order. */
export const output = {
  ...outputSchema,
  properties: { ...outputSchema.properties, path: filePath },
} as const;
