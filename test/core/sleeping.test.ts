// The sleeps of the real clock.
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { realClock } from '../../src/core/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;
/** What is left of all sleeps: timers and listeners. */
const left = () => [vi.getTimerCount(), getEventListeners(never, 'abort').length];

test('everybody wakes in time, whoever was woken before, and leaves nothing', async () => {
  const sleep = fc.record({
    ms: fc.integer({ min: 0, max: 1000 }),
    abortAt: fc.option(fc.integer({ min: 0, max: 1000 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sleep, { maxLength: 40 }), async (sleeps) => {
      const began = Date.now();
      const woken: (number | undefined)[] = sleeps.map(() => undefined);
      sleeps.forEach(({ ms, abortAt }, index) => {
        const stopper = new AbortController();
        if (abortAt !== undefined) setTimeout(() => stopper.abort(), abortAt);
        void realClock.sleep(ms, never, stopper.signal).then(() => {
          woken[index] = Date.now() - began;
        });
      });
      await vi.advanceTimersByTimeAsync(1001);
      sleeps.forEach(({ ms, abortAt }, index) => {
        const due = Math.min(ms, abortAt ?? ms);
        expect(woken[index]).toBeGreaterThanOrEqual(due - 1);
        expect(woken[index]).toBeLessThanOrEqual(due + 1);
      });
      expect(left()).toEqual([0, 0]);
    }),
    { seed: 1, numRuns: 50 },
  );
});

test('however many sleep, a signal has one listener, and wakes them all', async () => {
  const stopper = new AbortController();
  const sleeps = Array.from({ length: 1000 }, () => realClock.sleep(1000, stopper.signal, never));
  expect(getEventListeners(stopper.signal, 'abort')).toHaveLength(1);
  expect(left()).toEqual([1000, 1]);
  stopper.abort();
  await Promise.all(sleeps);
  expect(left()).toEqual([0, 0]);
});

test('a signal that is aborted already keeps nobody', async () => {
  await realClock.sleep(60_000, never, AbortSignal.abort());
  expect(left()).toEqual([0, 0]);
});

test('a sleep that is longer than a timer of Node can be ends in time', async () => {
  const month = 30 * 86_400_000;
  let isOver = false;
  void realClock.sleep(month).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(month - 10);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  expect(isOver).toBe(true);
});
