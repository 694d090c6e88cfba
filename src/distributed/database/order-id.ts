// The ids of orders in the queue.
import { createHash } from 'node:crypto';

/** A UUID that the same words always give, so that an order whose insertion lost its answer is not queued twice. */
export function orderId(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex');
  return [
    ...[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)],
    hex.slice(20, 32),
  ].join('-');
}
