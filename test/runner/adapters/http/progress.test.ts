// A transfer is cut when too little of it comes in a stretch of time, and only then.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GivenUp } from '../../../../src/runner/adapters/http/exchange.ts';
import { leastProgress, Progress } from '../../../../src/runner/adapters/http/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a transfer goes on while enough comes in each stretch', () => {
  using progress = new Progress({ bytes: 1000, everyMs: 2000 });
  progress.add(0);
  for (let stretch = 0; stretch < 3; stretch++) {
    progress.add(400);
    vi.advanceTimersByTime(1000);
    progress.add(600);
    vi.advanceTimersByTime(1000);
    expect(progress.signal.aborted).toBe(false);
  }
});

test('one byte too few in one stretch is a cut, however much came before', () => {
  using progress = new Progress({ bytes: 1000, everyMs: 2000 });
  progress.add(5000);
  vi.advanceTimersByTime(2000);
  progress.add(999);
  vi.advanceTimersByTime(1999);
  expect(progress.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(progress.signal.reason).toEqual(new GivenUp('slow', 'only 999 bytes came in 2 seconds'));
  expect(progress.signal.reason).toMatchObject({ because: 'slow' });
});

test('the watch begins with the first bytes, and ends with the transfer', () => {
  const progress = new Progress({ bytes: 1000, everyMs: 2000 });
  vi.advanceTimersByTime(10_000);
  expect(progress.signal.aborted).toBe(false);
  progress.add(1);
  progress.add(1);
  expect(vi.getTimerCount()).toBe(1);
  progress[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
});

test('without other wishes, it is 1 KB a second over two minutes', () => {
  expect(leastProgress).toEqual({ bytes: 120_000, everyMs: 120_000 });
});
