// So many requests a minute, evenly, by a clock that the test owns.
import { describe, expect, test } from 'vitest';
import { realClock } from '../../src/run/clock.ts';
import { pacer } from '../../src/service-api/request-rate.ts';
import { FakeClock } from '../files/places.ts';

describe('a pace', () => {
  test('lets requests through evenly, however many ask at once', async () => {
    const clock = new FakeClock(0);
    const at: number[] = [];
    const waits: number[] = [];
    const still = {
      ...clock,
      now: () => 0,
      elapsed: () => 0,
      chance: () => 0,
      sleep: async (ms: number) => void waits.push(ms),
    };
    const pace = pacer(60, still);
    await Promise.all([0, 1, 2, 3].map(async () => at.push(await pace().then(() => waits.length))));
    expect(waits).toEqual([1000, 2000, 3000]);
  });

  test('never goes over so many in any minute', async () => {
    const clock = new FakeClock(0);
    const pace = pacer(90, clock);
    const times: number[] = [];
    for (let request = 0; request < 300; request++) {
      await pace();
      times.push(clock.elapsed());
    }
    for (const [index, time] of times.entries())
      expect((times[index + 90] ?? Number.POSITIVE_INFINITY) - time).toBeGreaterThanOrEqual(
        60_000 - 1e-6,
      );
  });

  test('does not make up for idle time with a burst', async () => {
    const clock = new FakeClock(0);
    const pace = pacer(60, clock);
    await pace();
    clock.pass(3_600_000);
    await pace();
    await pace();
    expect(clock.slept).toEqual([1000]);
  });

  test('keeps its gaps when the wall clock is set back or forward: no burst, and no wait of a year', async () => {
    const clock = new FakeClock();
    const pace = pacer(60, clock);
    const year = 365 * 86_400_000;
    await pace();
    clock.jump(-year);
    await pace();
    clock.jump(2 * year);
    await pace();
    await pace();
    expect(clock.slept).toEqual([1000, 1000, 1000]);
  });

  test('that nobody asked for waits for nothing', async () => {
    const clock = new FakeClock(0);
    const pace = pacer(undefined, clock);
    for (let request = 0; request < 10; request++) await pace();
    expect(clock.slept).toEqual([]);
  });

  test('is over at once when the run is stopped', async () => {
    const clock = new FakeClock(0);
    const pace = pacer(1, clock, AbortSignal.abort());
    await pace();
    await pace();
    expect(clock.slept).toEqual([]);
  });
});

describe('the real clock', () => {
  test('does not wait when the signal is aborted, before or meanwhile', async () => {
    await realClock.sleep(60_000, AbortSignal.abort());
    const stopper = new AbortController();
    const sleeping = realClock.sleep(60_000, stopper.signal);
    stopper.abort();
    await sleeping;
    expect(realClock.chance()).toBeGreaterThanOrEqual(0);
    expect(realClock.chance()).toBeLessThan(1);
  });
});
