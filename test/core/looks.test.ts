// When projects are looked at, by a clock that waits for nobody. How near that is to the best: bench/wait.ts.
import { describe, expect, test } from 'vitest';
import { Looks, type LooksOptions } from '../../src/core/looks.ts';
import { chances, ProcessClock, VirtualClock } from '../kit/clock.ts';

const tool = 'text-to-video';
const publishedMs = 51_000;

class Scene {
  readonly virtual = new VirtualClock();
  readonly clock = new ProcessClock(this.virtual, chances(1), () => false);
  readonly stop = new AbortController();
  readonly looks: Looks;
  /** When the looks were made that found a project rendering. */
  readonly inVain: number[] = [];

  constructor(options: Partial<LooksOptions> = {}) {
    const { clock, stop } = this;
    const given = { clock, signal: stop.signal, speedFactor: 1, earlier: () => new Map() };
    this.looks = new Looks({ ...given, ...options });
  }

  /** The ages at which a project is looked at that takes so long. */
  async follow(
    ms: number,
    {
      sooner = undefined,
      since = this.clock.now(),
      kind = tool,
      status = 'complete',
    }: Followed = {},
  ): Promise<readonly number[]> {
    const born = this.virtual.elapsed;
    using watch = this.looks.watch(kind, since);
    const ages: number[] = [];
    for (;;) {
      await watch.turn(sooner?.(this.virtual.elapsed - born));
      const age = this.virtual.elapsed - born;
      ages.push(age);
      if (age >= ms) {
        watch.over({ status });
        return ages;
      }
      this.inVain.push(this.virtual.elapsed);
    }
  }

  /** So many others are watched, which leave few looks for each. */
  crowd(count: number): void {
    for (let number = 0; number < count; number++) this.looks.watch(tool, this.clock.now());
  }

  until<T>(work: Promise<T>): Promise<T> {
    return this.virtual.until(work);
  }
}

interface Followed {
  readonly sooner?: (age: number) => Promise<void>;
  readonly since?: number;
  readonly kind?: string;
  readonly status?: string;
}

test('a single project is looked at as often as a script would', async () => {
  const scene = new Scene();
  const ages = await scene.until(scene.follow(20_300));
  expect(ages.at(-1)).toBe(20_500);
  expect(ages.every((age) => age % 500 === 0)).toBe(true);
});

test('a project that lasts is looked at in pauses of at most a tenth of its age, and of ten minutes', async () => {
  const scene = new Scene();
  const day = 86_400_000;
  scene.crowd(30_000);
  const ages = await scene.until(scene.follow(day));
  const pauses = ages
    .slice(1)
    .map((age, index) => [age - (ages[index] ?? 0), ages[index] ?? 0] as const);
  for (const [pause, age] of pauses) expect(pause).toBeLessThanOrEqual(Math.max(500, age / 10) + 1);
  expect(Math.max(...pauses.map(([pause]) => pause))).toBe(600_000);
  expect(ages[0]).toBe(publishedMs / 5);
});

test('what was learnt counts, and not what is published', async () => {
  const scene = new Scene();
  for (let times = 0; times < 5; times++) await scene.until(scene.follow(200_000));
  const [first = 0] = await scene.until(scene.follow(200_000));
  expect(first).toBeGreaterThan(60_000);
  expect(first).toBeLessThan(200_000);
  // Of another kind nothing is known.
  const [other = 0] = await scene.until(scene.follow(200_000, { kind: 'face-swap-photo' }));
  expect(other).toBe(500);
});

test('earlier runs have learnt, too, and what fails tells nothing', async () => {
  let asked = 0;
  const earlier = () => {
    asked += 1;
    return new Map([[tool, Array.from({ length: 10 }, () => 100_000)]]);
  };
  const [scene, fresh] = [new Scene({ earlier }), new Scene()];
  const [first = 0] = await scene.until(scene.follow(100_000));
  expect(first).toBeGreaterThan(30_000);
  expect(first).toBeLessThan(90_000);
  expect(asked).toBe(1);
  for (let times = 0; times < 5; times++)
    await fresh.until(fresh.follow(200_000, { status: 'error' }));
  expect(await fresh.until(fresh.follow(1000))).toEqual([500, 1000]);
});

test('a first look that comes much too late teaches nothing', async () => {
  const scene = new Scene();
  for (let times = 0; times < 5; times++) {
    const ages = await scene.until(scene.follow(0, { since: scene.clock.now() - 86_400_000 }));
    expect(ages).toEqual([0]);
  }
  scene.crowd(2000);
  expect((await scene.until(scene.follow(20_000)))[0]).toBe(publishedMs / 5);
});

describe('where looks are scarce, the first one comes when nearly all are over', () => {
  const firstAfter = async (scene: Scene): Promise<number | undefined> => {
    scene.crowd(2000);
    return (await scene.until(scene.follow(1_000_000)))[0];
  };

  test('in the middle between the last two looks at those before', async () => {
    const scene = new Scene();
    for (let times = 0; times < 5; times++) await scene.until(scene.follow(20_300));
    expect(await firstAfter(scene)).toBe(20_250);
  });

  test('when events told of those before', async () => {
    const scene = new Scene();
    const told = { sooner: (age: number) => scene.virtual.sleep(Math.max(0, 30_300 - age)) };
    for (let times = 0; times < 5; times++) {
      const ages = await scene.until(scene.follow(30_300, told));
      expect(ages.at(-1)).toBe(30_300);
    }
    expect(await firstAfter(scene)).toBeCloseTo(30_300);
  });

  test('somewhat before earlier runs noticed', async () => {
    const scene = new Scene({ earlier: () => new Map([[tool, [100_000, 100_000, 100_000]]]) });
    expect(await firstAfter(scene)).toBe(90_000);
  });

  test('as the newest hundred were', async () => {
    const before = [...Array<number>(40).fill(20_000), ...Array<number>(1000).fill(900_000)];
    const scene = new Scene({ earlier: () => new Map([[tool, before]]) });
    const told = { sooner: (age: number) => scene.virtual.sleep(Math.max(0, 20_300 - age)) };
    for (let times = 0; times < 60; times++) await scene.until(scene.follow(20_300, told));
    expect(await firstAfter(scene)).toBeLessThan(21_000);
  });
});

test('a time that lies ahead of the clock counts as now', async () => {
  const scene = new Scene();
  const since = scene.clock.now() + 3 * 86_400_000;
  expect((await scene.until(scene.follow(2000, { since })))[0]).toBe(500);
});

test('a faster service is looked at more often, as much faster as it is', async () => {
  const [slow, fast] = [new Scene(), new Scene({ speedFactor: 10 })];
  const ages = await slow.until(slow.follow(20_300));
  expect(await fast.until(fast.follow(2030))).toEqual(ages.map((age) => age / 10));
  const instant = new Scene({ speedFactor: 1000 });
  expect(await instant.until(instant.follow(30))).toEqual([0, 20, 40]);
});

test('whoever need not wait comes back no sooner than a script would', () => {
  for (const [speedFactor, pauseMs] of [
    [1, 500],
    [10, 50],
  ] as const) {
    const { looks, clock } = new Scene({ speedFactor });
    const since = clock.now() - 1000 / speedFactor;
    expect(looks.nextUsefulAt('face-detect', since) - clock.now()).toBe(pauseMs);
  }
});

test('a look is useful from the age on at which a tenth of those before were over', () => {
  const before = Array.from({ length: 20 }, (_, index) => (index + 1) * 10_000);
  const { looks, clock } = new Scene({ earlier: () => new Map([[tool, before]]) });
  const useful = [20_000, 30_000].map((age) => looks.isUseful(tool, clock.now() - age));
  expect(useful).toEqual([false, true]);
});

describe('of many projects', () => {
  test('ten looks in any second may be in vain, and those that are not cost nothing', async () => {
    const scene = new Scene();
    const chance = chances(2);
    const all = Array.from({ length: 200 }, () => scene.follow(500 + chance() * 20_000));
    await scene.until(Promise.all(all));
    const { inVain } = scene;
    inVain.forEach((at, index) => {
      expect((inVain[index + 10] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThanOrEqual(
        1000 - 1e-6,
      );
    });
    const ready = new Scene();
    const many = Array.from({ length: 500 }, () => ready.follow(0));
    await ready.until(Promise.all(many));
    expect(ready.virtual.elapsed).toBeLessThan(20_000);
  });

  test('whoever is due first looks first', async () => {
    const scene = new Scene();
    const order: number[] = [];
    const all = Array.from({ length: 40 }, async (_, index) => {
      await scene.virtual.sleep(index);
      using watch = scene.looks.watch(tool, scene.clock.now());
      await watch.turn();
      order.push(index);
    });
    await scene.until(Promise.all(all));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(scene.virtual.elapsed).toBeGreaterThan(3000);
  });

  test('whoever waits is not passed over by whoever is due when a look is free', async () => {
    const scene = new Scene();
    const order: string[] = [];
    const one = async (name: string, watch = scene.looks.watch(tool, scene.clock.now())) => {
      await watch.turn();
      order.push(`${name} ${scene.virtual.elapsed}`);
    };
    const watches = Array.from({ length: 11 }, () => scene.looks.watch(tool, scene.clock.now()));
    const early = watches.map((watch) => one('early', watch));
    const late = scene.virtual.sleep(900).then(() => one('late'));
    await scene.until(Promise.all([...early, late]));
    expect(order.slice(-2)).toEqual(['early 2100', 'late 2100']);
  });

  test('a look that is given back is made by the next one at once', async () => {
    const scene = new Scene();
    const ends: number[] = [];
    const watches = Array.from({ length: 30 }, () => scene.looks.watch(tool, scene.clock.now()));
    const all = watches.map(async (watch) => {
      await watch.turn();
      await scene.virtual.sleep(50);
      watch.over({ status: 'complete' });
      ends.push(scene.virtual.elapsed);
    });
    await scene.until(Promise.all(all));
    expect([ends[0], ends[10], ends[29]]).toEqual([3050, 3100, 3150]);
  });

  test('one that an event tells of does not wait for the others, and has no look to give back', async () => {
    const scene = new Scene();
    const watches = Array.from({ length: 42 }, () => scene.looks.watch(tool, scene.clock.now()));
    const told = scene.virtual.sleep(4700);
    const turns = watches.map((watch, index) => watch.turn(index === 41 ? told : undefined));
    // All are due after some four seconds, and ten look then.
    await scene.until(turns[41] ?? told);
    expect(scene.virtual.elapsed).toBe(4700);
    watches[41]?.over({ status: 'complete' });
    await scene.until(Promise.all(turns));
    expect(scene.virtual.elapsed).toBe(8200);
  });

  test('those who wait for their look end with the run, and one that is disposed of holds up nobody', async () => {
    const scene = new Scene();
    const watches = Array.from({ length: 40 }, () => scene.looks.watch(tool, scene.clock.now()));
    const turns = watches.map((watch) => watch.turn());
    await scene.until(Promise.all(turns.slice(0, 10)));
    for (const watch of watches.slice(10, 30)) watch[Symbol.dispose]();
    await scene.until(Promise.all(turns.slice(10, 40)));
    expect(scene.virtual.elapsed).toBeLessThan(6000);
    const late = Array.from({ length: 40 }, () =>
      scene.looks.watch(tool, scene.clock.now()).turn(),
    );
    const ends = Promise.allSettled(late);
    const begun = scene.virtual.elapsed;
    void scene.virtual.sleep(100).then(() => scene.stop.abort());
    for (const end of await scene.until(ends))
      expect(end).toMatchObject({ status: 'rejected', reason: { held: { by: 'run' } } });
    expect(scene.virtual.elapsed).toBe(begun + 100);
  });
});
