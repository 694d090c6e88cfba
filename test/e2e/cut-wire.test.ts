// The network is cut in the middle of a creation's exchange: here around its ends and after every 160th byte between.
// `npm run torture -- --of wire` cuts it after every single one.
import { expect, test } from 'vitest';
import { type Exchange, tortureWire } from '../../torture/wire.ts';

/** Around the first byte, the last of the request, the last of the answer. */
const isNearAnEnd = (bytes: number, { request, answer }: Exchange): boolean =>
  [0, request, request + answer].some((end) => Math.abs(bytes - end) <= 1);

test('cut in the middle of a creation, it is paid at most once, doubted where it may be, and resolved to one charge', async () => {
  const chosen: number[] = [];
  const { request, answer, doubts, charged, violations } = await tortureWire({
    cutsAfter(bytes, exchange) {
      if (bytes % 160 !== 0 && !isNearAnEnd(bytes, exchange)) return [];
      chosen.push(bytes);
      return [chosen.length % 2 === 0 ? 'close' : 'reset'];
    },
    jobs: 4,
  });
  expect(violations).toEqual([]);
  expect(chosen.length).toBeGreaterThan(9);
  // Only the very last byte of the answer makes it known.
  expect(doubts).toBe(chosen.length - 1);
  const whole = chosen.filter((bytes) => bytes >= request && bytes < request + answer);
  expect(charged).toBe(whole.length);
}, 180_000);
