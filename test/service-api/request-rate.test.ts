// How fast requests go after the service has asked to slow down, by a clock that the test owns.
import { describe, expect, test } from 'vitest';
import { err, ok } from '../../src/base/result.ts';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import { realClock } from '../../src/core/clock.ts';
import {
  pacer,
  RequestRate,
  type RequestRateOptions,
  requestRates,
} from '../../src/service-api/request-rate.ts';
import { FakeClock } from '../files/places.ts';

const fine = ok(undefined);
const throttled = (retryAfterMs?: number) =>
  err<ApiFailure>({
    ...{ reason: 'throttled', message: '' },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

function scene(change: Partial<RequestRateOptions> = {}) {
  const clock = new FakeClock();
  const rate = new RequestRate({
    ...{ clock, stop: new AbortController().signal, pace: async () => undefined },
    ...{ backoffMs: 1000, ...change },
  });
  const request = async (answer: Parameters<RequestRate['heard']>[0] = fine): Promise<number> => {
    await rate.turn();
    const begun = rate.begin();
    rate.heard(answer, begun);
    return begun;
  };
  /** So many requests at an even rate, before the service has complained. */
  const many = async (count: number, gapMs: number): Promise<void> => {
    for (let number = 0; number < count; number++) {
      await request();
      clock.pass(gapMs);
    }
  };
  return { clock, rate, request, many };
}

describe('without a 429', () => {
  test('no request waits', async () => {
    const { clock, many } = scene();
    await many(1000, 0);
    expect(clock.slept).toEqual([]);
  });

  test('an outage or a lost answer changes nothing', async () => {
    const { clock, request } = scene();
    await request(err({ reason: 'unavailable', status: 503, message: '', retryAfterMs: 9000 }));
    await request(err({ reason: 'unanswered', message: '' }));
    await request();
    expect(clock.slept).toEqual([]);
  });
});

describe('after a 429', () => {
  test('a creation that waits for its own rate waits for the pause of all requests, too', async () => {
    const clock = new FakeClock();
    const { signal: stop } = new AbortController();
    const rates = requestRates({ clock, stop, pace: async () => undefined, backoffMs: 1000 });
    rates.creations.heard(throttled(1000), rates.creations.begin());
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms, signal) => {
      // The answer to another request comes meanwhile.
      if (clock.slept.length === 0) rates.all.heard(throttled(3000), clock.elapsed());
      await sleep(ms, signal);
    };
    await rates.creations.turn();
    expect(clock.elapsed()).toBeGreaterThanOrEqual(3000);
  });

  test('every request waits for as long as the service asks', async () => {
    const { clock, rate, request } = scene();
    await request(throttled(7000));
    const began = clock.elapsed();
    await Promise.all([rate.turn(), rate.turn(), rate.turn()]);
    expect(clock.slept[0]).toBe(7000);
    expect(clock.elapsed()).toBeGreaterThanOrEqual(began + 7000);
  });

  test('a request that waits already waits for a longer pause, too', async () => {
    const { clock, rate, request } = scene();
    await request(throttled(1000));
    let again = true;
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms, signal) => {
      if (again) {
        again = false;
        rate.heard(throttled(5000), clock.elapsed());
      }
      await sleep(ms, signal);
    };
    const began = clock.elapsed();
    await rate.turn();
    expect(clock.elapsed() - began).toBeGreaterThanOrEqual(5000);
  });

  test('requests go on at half their rate, and each answer makes them a little faster', async () => {
    const { clock, request, many } = scene();
    await many(200, 50);
    await request(throttled());
    const times: number[] = [];
    for (let number = 0; number < 40; number++) times.push(await request());
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // 20 a second before.
    expect(gaps[0]).toBeCloseTo(100, 5);
    for (const [index, gap] of gaps.entries())
      if (index > 0) expect(gap).toBeLessThan(gaps[index - 1] ?? 0);
    // Half a request a second faster in each second.
    const perSecond = 1000 / (gaps.at(-1) ?? 0);
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    expect(perSecond).toBeGreaterThan(10 + 0.4 * seconds);
    expect(perSecond).toBeLessThan(10 + 0.6 * seconds);
    expect(clock.slept).toHaveLength(40 - 1);
  });

  test('answers to requests that were under way by then lower the rate no further', async () => {
    const { clock, rate, request, many } = scene();
    await many(200, 50);
    const begun = Array.from({ length: 8 }, () => rate.begin());
    clock.pass(10);
    for (const one of begun) rate.heard(throttled(), one);
    await request();
    const before = clock.elapsed();
    await request();
    // These 8 and 19 others in the second before the first answer.
    expect(clock.elapsed() - before).toBeCloseTo(1000 / ((8 + 19) / 2), 5);
  });

  test('no request waits for another one for longer than the first pause of a retry', async () => {
    for (const backoffMs of [1, 1000]) {
      const { clock, request } = scene({ backoffMs });
      for (let times = 0; times < 20; times++) await request(throttled());
      const before = clock.elapsed();
      await request();
      expect(clock.elapsed() - before).toBeLessThanOrEqual(backoffMs);
    }
  });

  test('the pipeline’s own limit still holds', async () => {
    const clock = new FakeClock();
    const { request } = scene({ clock, pace: pacer(6, clock) });
    await request(throttled());
    const before = clock.elapsed();
    for (let times = 0; times < 3; times++) await request();
    expect(clock.elapsed() - before).toBeGreaterThanOrEqual(20_000);
  });

  test('nothing waits any more when the run stops', async () => {
    const { clock, rate, request } = scene({ stop: AbortSignal.abort() });
    await request(throttled(60_000));
    await rate.turn();
    expect(clock.slept).toEqual([]);
  });
});

test('requests find the rate of a service that takes ten a second, and are rarely refused', async () => {
  const { clock, rate } = scene();
  const taken: number[] = [];
  let [served, refused] = [0, 0];
  const end = 300_000;
  while (clock.elapsed() < end) {
    await rate.turn();
    const begun = rate.begin();
    clock.pass(1);
    const now = clock.elapsed();
    while ((taken[0] ?? now) <= now - 1000) taken.shift();
    const takes = taken.length < 10;
    if (takes) taken.push(now);
    if (takes) served += 1;
    else refused += 1;
    rate.heard(takes ? fine : throttled(), begun);
  }
  const seconds = end / 1000;
  expect(served / seconds).toBeGreaterThan(7);
  expect(refused / served).toBeLessThan(0.03);
});

// So many requests a minute, evenly, by a clock that the test owns.

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
