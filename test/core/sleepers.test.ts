// All sleeps of a clock, on one timer.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Sleepers } from '../../src/core/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;
const sleepersNow = (): Sleepers => new Sleepers(() => Date.now());

test('everybody wakes in time, in order, whoever was woken before', async () => {
  const sleep = fc.record({
    ms: fc.integer({ min: 0, max: 1000 }),
    abortAt: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sleep, { maxLength: 40 }), async (sleeps) => {
      const sleepers = sleepersNow();
      const began = Date.now();
      const woken: (number | undefined)[] = sleeps.map(() => undefined);
      sleeps.forEach(({ ms, abortAt }, index) => {
        const stopper = new AbortController();
        if (abortAt !== undefined) setTimeout(() => stopper.abort(), abortAt);
        void sleepers.sleep(ms, [never, stopper.signal]).then(() => {
          woken[index] = Date.now() - began;
        });
      });
      await vi.advanceTimersByTimeAsync(1001);
      sleeps.forEach(({ ms, abortAt }, index) => {
        const due = Math.min(ms, abortAt ?? ms);
        expect(woken[index]).toBeGreaterThanOrEqual(due - 1);
        expect(woken[index]).toBeLessThanOrEqual(due + 1);
      });
      expect(sleepers.count).toBe(0);
    }),
    { seed: 1, numRuns: 50 },
  );
});

test('however many sleep, there is one timer, and none when nobody sleeps', async () => {
  const sleepers = sleepersNow();
  const stopper = new AbortController();
  for (let n = 0; n < 1000; n++) void sleepers.sleep(1000 + (n % 7), [stopper.signal]);
  expect([sleepers.count, vi.getTimerCount()]).toEqual([1000, 1]);
  await vi.advanceTimersByTimeAsync(1003);
  expect(sleepers.count).toBeLessThan(1000);
  expect(vi.getTimerCount()).toBe(1);
  stopper.abort();
  expect([sleepers.count, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a signal that is aborted already keeps nobody', async () => {
  const sleepers = sleepersNow();
  await sleepers.sleep(60_000, [never, AbortSignal.abort()]);
  expect(sleepers.count).toBe(0);
});

test('a sleep that is longer than a timer of Node can be ends in time', async () => {
  const sleepers = sleepersNow();
  const month = 30 * 86_400_000;
  let isOver = false;
  void sleepers.sleep(month, []).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(month - 10);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  expect(isOver).toBe(true);
});
