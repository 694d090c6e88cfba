// The schema of an order as its coordinator issued it, which a worker reads from a database that others write to.
import { reasonOf } from '../../../contract/api/bounds.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { validatorOf } from '../../../contract/base/schema.ts';
import { readOrder } from '../jobs/wire/order-schema.ts';
import type { IssuedOrder } from './ports.ts';

/** All but the order itself, which is read by its operation. */
export const issuedSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['order', 'epoch', 'seen'],
  properties: {
    order: { type: 'object' },
    epoch: { type: 'integer', minimum: 1 },
    seen: { type: 'integer', minimum: 0 },
    seenMs: { type: 'number', minimum: 0 },
  },
} as const;

/** The error is the end of a sentence about the order. */
export function readIssuedOrder(value: unknown): Result<IssuedOrder, string> {
  const validate = validatorOf<IssuedOrder>(issuedSchema);
  if (!validate(value)) return err(reasonOf(validate.errors));
  const order = readOrder(value.order);
  return order.ok ? ok(value) : order;
}
