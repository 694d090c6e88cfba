// When projects that render are looked at: a rule that learns, and that a wrong published median does little harm to.
import { describe, expect, test } from 'vitest';
import { chanceOf } from '../../../src/base/chance.ts';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import { LookSchedule } from '../../../src/plan/look-schedule.ts';
import { Projects } from './projects.ts';

const kind = 'text-to-video';
const publishedMs = (toolNamed(kind)?.medianSeconds ?? 0) * 1000;

/** A log-normal distribution: two thirds of the projects are within a factor of 1.4 of the median. */
function durationsOf(medianMs: number, seed: number, spread = 0.35): () => number {
  const chance = chanceOf(seed, 1);
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());
    return medianMs * Math.exp(spread * normal);
  };
}

/** An earlier run noticed the ends of a hundred projects that took so long. */
const noticed = (ms: number): readonly number[] => Array(100).fill(ms / 0.9);

const knowing = (...earlier: readonly number[]): LookSchedule =>
  new LookSchedule({ speedFactor: 1, known: () => new Map([[kind, earlier]]) });

/** The ages of the looks at a project that is never over, in seconds. */
function looksOf(schedule: LookSchedule, count: number, waiting?: number): readonly number[] {
  const inProgress = Array.from({ length: waiting ?? 0 }, () => schedule.wait());
  const looks: number[] = [];
  let seenMs = 0;
  while (looks.length < count) {
    seenMs =
      waiting === undefined ? schedule.next(kind, seenMs) : schedule.nextWhileWaiting(kind, seenMs);
    looks.push(Math.round(seenMs / 100) / 10);
  }
  for (const one of inProgress) one[Symbol.dispose]();
  return looks;
}

describe('a project that nobody waits for', () => {
  test.each([
    ['of which nothing is known', [], [10.2, 11.2, 12.3, 13.6]],
    ['of which too little is known', [90_000, 90_000], [10.2, 11.2, 12.3, 13.6]],
    ['of a kind with a history', noticed(60_000), [57, 62.7, 69, 75.9]],
    ['of a quick kind', noticed(2_000), [1.9, 2.4, 2.9, 3.4]],
  ])(
    '%s is first looked at before it may be over, then when it is a tenth older',
    (_, earlier, looks) => {
      expect(looksOf(knowing(...earlier), 4)).toEqual(looks);
    },
  );

  test('is looked at every ten minutes at least', () => {
    const schedule = knowing();
    expect(schedule.next(kind, 36e6) - 36e6).toBe(600_000);
  });

  test('is looked at after its last look, wherever that was', () => {
    const schedule = knowing(...noticed(60_000));
    for (const seenMs of [1, 10_000, 56_999, 57_000, 1e9])
      expect(schedule.next(kind, seenMs)).toBeGreaterThan(seenMs);
  });

  test('is looked at sooner at a faster service, and at once if it may be over within milliseconds', () => {
    const fast = new LookSchedule({ speedFactor: 10 });
    expect(fast.next(kind, 0)).toBe(publishedMs / 50);
    expect(fast.next(kind, 36e6) - 36e6).toBe(60_000);
    expect(new LookSchedule({ speedFactor: 1000 }).next(kind, 0)).toBe(0);
  });
});

describe('a project that is waited for', () => {
  const earlier = noticed(60_000);

  test.each([
    [1, [32.5, 35.5, 38, 40, 41.5]],
    [5, [32.5, 35.5, 38, 40, 41.5]],
    [50, [57, 62.7, 67.7, 72.7, 77.7]],
    [1000, [57, 62.7, 69, 75.9, 83.5]],
  ])('among %d has its share of ten looks a second', (waiting, looks) => {
    expect(looksOf(knowing(...earlier), 5, waiting)).toEqual(looks);
  });

  test('is looked at every half second once it may be over, like a script does', () => {
    const schedule = knowing(...earlier);
    using _ = schedule.wait();
    for (let seenMs = 60_000; seenMs < 90_000; seenMs += 500)
      expect(schedule.nextWhileWaiting(kind, seenMs)).toBe(seenMs + 500);
  });

  test('keeps to the half seconds although looks come a little late', () => {
    const schedule = knowing(...earlier);
    using _ = schedule.wait();
    expect(schedule.nextWhileWaiting(kind, 60_003)).toBe(60_500);
    expect(schedule.nextWhileWaiting(kind, 60_260)).toBe(61_000);
  });

  test('of which nothing is known is looked at from the beginning where looks are plentiful', () => {
    expect(looksOf(knowing(), 3, 5)).toEqual([0.5, 1, 1.5]);
    expect(looksOf(knowing(), 3, 1000)).toEqual([10.2, 11.2, 12.3]);
  });
});

test('where an event tells of the end, looks are rare, and rarer where nothing is known', () => {
  const schedule = knowing(50_000, 60_000 / 0.9, 70_000);
  expect(schedule.nextBesidesEvents(kind, 0)).toBeCloseTo(180_000);
  expect(schedule.nextBesidesEvents(kind, 180_000)).toBe(360_000);
  expect(schedule.nextBesidesEvents('lip-sync', 0)).toBe(10 * 229_000);
});

describe('what is learnt of a kind', () => {
  const learning = (ends: readonly (readonly [number, number, number])[]): number => {
    const schedule = knowing();
    for (const [afterMs, dueMs, byMs] of ends) schedule.over(kind, { afterMs, dueMs, byMs });
    return Math.round(schedule.next(kind, 0));
  };

  test.each([
    ['is the middle between two looks', [1000, 2000, 2000], 1425],
    ['is an event’s time', [2000, 2000, 2000], 1900],
    ['is a little less than the first look', [0, 2000, 2000], 1710],
    ['is no later than when a look was due', [1000, 2000, 9000], 1425],
    ['is nothing if the first look was late', [0, 2000, 9000], 10_200],
  ] as const)('%s', (_, end, first) => {
    expect(learning([end, end])).toBe(10_200);
    expect(learning([end, end, end])).toBe(first);
  });

  test('is the tenth percentile of the newest hundred: neither a few quick ones nor those that hung count', () => {
    const all = [...Array(9).fill(10), ...Array(60).fill(50_000), ...Array(31).fill(9e9)];
    expect(knowing(...all).next(kind, 0)).toBe(0.9 * 47_500);
    const schedule = knowing(...noticed(9_000), ...Array(200).fill(9e9));
    for (let times = 0; times < 89; times++)
      schedule.over(kind, { afterMs: 50_000, dueMs: 50_000, byMs: 50_000 });
    expect(schedule.next(kind, 0)).toBe(8_550);
    schedule.over(kind, { afterMs: 50_000, dueMs: 50_000, byMs: 50_000 });
    expect(schedule.next(kind, 0)).toBe(47_500);
  });

  test('of earlier runs is asked for once, when it is needed', () => {
    let asked = 0;
    const schedule = new LookSchedule({
      speedFactor: 1,
      known: () => {
        asked += 1;
        return new Map();
      },
    });
    using _ = schedule.wait();
    expect(asked).toBe(0);
    schedule.next(kind, 0);
    schedule.next('lip-sync', 0);
    expect(asked).toBe(1);
  });
});

describe('in a simulated run', () => {
  const cells = [1, 5, 50].flatMap((window) =>
    [1, 1 / 3, 3].flatMap((factor) => [1, 2].map((seed) => ({ window, factor, seed }))),
  );

  test.each(cells)(
    'an end is noticed within half a second or a tenth of the age after the first look, and ten looks in vain a second are enough: $window at once, published median ÷ $factor, seed $seed',
    async ({ window, factor, seed }) => {
      const run = new Projects(knowing(), {
        kind,
        window,
        durationMs: durationsOf(publishedMs * factor, seed),
      });
      const ends = await run.complete(200);
      // At the worst, all others look first.
      const turnMs = window > 5 ? (1000 * window) / 10 : 0;
      const late = ends.filter(
        ({ tookMs, noticedMs, looks }) =>
          looks > 1 && noticedMs - tookMs > Math.max(500, 0.1 * tookMs) + turnMs,
      );
      expect(late).toEqual([]);
      expect(run.mostLooksInVainInASecond).toBeLessThanOrEqual(10);
      const beforeFirstLook = ends.filter(({ looks }) => looks === 1);
      expect(beforeFirstLook.length).toBeLessThan(0.15 * ends.length);
    },
  );

  test.each([1, 2, 3])(
    'with five in progress, nobody is later than a script that looks every half second, but for the few that are over before anybody expects: seed %d',
    async (seed) => {
      const durationMs = durationsOf(4_000, seed);
      const ends = await new Projects(knowing(), { kind, window: 5, durationMs }).complete(300);
      const later = ends.filter(
        ({ tookMs, noticedMs }) => noticedMs > Math.ceil(tookMs / 500) * 500 + 1e-6,
      );
      expect(later.length).toBeLessThan(0.12 * ends.length);
      const looks = ends.reduce((sum, end) => sum + end.looks, 0);
      expect(looks).toBeLessThan((0.6 * ends.reduce((sum, end) => sum + end.tookMs, 0)) / 500);
    },
  );

  test('with a thousand in progress, no second has more than ten looks in vain, and ends are noticed in time', async () => {
    const durationMs = durationsOf(publishedMs, 1);
    const run = new Projects(knowing(), { kind, window: 1000, durationMs });
    const ends = await run.complete(3000);
    expect(run.mostLooksInVainInASecond).toBeLessThanOrEqual(10);
    expect(ends.reduce((sum, { looks }) => sum + looks, 0)).toBeLessThan(2.5 * ends.length);
    const sum = (of: (end: (typeof ends)[number]) => number): number =>
      ends.reduce((total, end) => total + of(end), 0);
    expect(sum(({ noticedMs }) => noticedMs)).toBeLessThan(1.35 * sum(({ tookMs }) => tookMs));
  });

  test.each([1, 12, 60].flatMap((window) => [0, 0.35].map((spread) => ({ window, spread }))))(
    'durations do not grow in 50 runs that learn from when ends were noticed: $window at once, spread $spread',
    async ({ window, spread }) => {
      const medianMs = 5_000;
      let known: readonly number[] = [];
      const delays: number[] = [];
      for (let seed = 1; seed <= 50; seed++) {
        const durationMs = durationsOf(medianMs, seed, spread);
        const run = new Projects(knowing(...known), { kind, window, durationMs });
        const ends = await run.complete(60);
        const noticed = ends.map(({ noticedMs }) => noticedMs);
        known = [...noticed.toReversed(), ...known].slice(0, 100);
        delays.push(
          ends.reduce((sum, { noticedMs, tookMs }) => sum + noticedMs - tookMs, 0) / ends.length,
        );
      }
      const mean = (some: readonly number[]): number =>
        some.reduce((sum, ms) => sum + ms, 0) / some.length;
      expect(mean(delays.slice(-10))).toBeLessThan(1.25 * mean(delays.slice(0, 10)) + 50);
      expect(knowing(...known).next(kind, 0)).toBeLessThan(1.1 * Math.max(medianMs, 100 * window));
    },
  );
});
