// The network is cut after every byte of the creation exchange. `npm run torture -- --of wire` cuts it in both ways
// after each byte; here the ways take turns.
import { expect, test } from 'vitest';
import { tortureWire } from '../../torture/wire.ts';

test('cut between any two bytes of a creation, it is paid at most once, doubted where it may be, and resolved to one charge', async () => {
  const { request, answer, doubts, charged, violations } = await tortureWire({
    cutsAfter: (bytes) => [bytes % 2 === 0 ? 'close' : 'reset'],
    jobs: 8,
  });
  expect(violations).toEqual([]);
  expect(request).toBeGreaterThan(200);
  expect(answer).toBeGreaterThan(100);
  // Only the very last byte of the answer makes it known.
  expect(doubts).toBe(request + answer);
  expect(charged).toBe(answer);
}, 180_000);
