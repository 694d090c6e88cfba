// All workers of a run share its request rate.
import { expect, test } from 'vitest';
import { sharedPace } from '../../../src/distributed/serve-run.ts';
import { FakeClock } from '../../files/places.ts';

function pace(perMinute: number | undefined) {
  const clock = new FakeClock();
  const counts: number[] = [];
  const stop = new AbortController();
  const turns = async (count: number, rate: number): Promise<readonly number[]> => {
    counts.push(count);
    return Array.from({ length: count }, (_, index) => (index * 60_000) / rate);
  };
  const wait = sharedPace({
    orderStore: { turns },
    clock,
    perMinute,
    stop: stop.signal,
    quit: stop.signal,
  });
  return { clock, counts, stop, wait };
}

test('without a rate, nothing is asked and nothing waits', async () => {
  const { wait, counts, clock } = pace(undefined);
  await wait();
  expect([counts, clock.slept]).toEqual([[], []]);
});

test('requests of the same moment take their turns in one call, and wait for them', async () => {
  const { wait, counts, clock } = pace(60);
  await Promise.all([wait(), wait(), wait()]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(counts.length).toBeLessThan(3);
  expect(clock.slept.every((ms) => ms % 1000 === 0)).toBe(true);
});

test('a worker that stops takes no turns', async () => {
  const { wait, counts, stop } = pace(60);
  stop.abort();
  await wait();
  expect(counts).toEqual([]);
});
