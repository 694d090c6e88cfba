// What calls do while the service, its storage or creations are away: who waits, for what, how long, and what is sent meanwhile.
import { describe, expect, test } from 'vitest';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import { chances } from '../kit/clock.ts';
import { sampleOf } from '../sweep.ts';
import { Answering, busy, cut, down, refused, throttled } from './answering.ts';

const minute = 60_000;
const read = 'value of read';

/** The longest that nothing is sent. */
const pauses = ({ sent }: Answering, what: string): readonly number[] => {
  const times = sent.filter((one) => one.what === what).map(({ at }) => at);
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
};

describe('a free call', () => {
  test.each([cut, down])(
    'that fails for its own sake is tried as often as it may be (%j)',
    async (failure) => {
      const world = new Answering();
      world.fails = (what) => (what === 'read' ? failure : undefined);
      const end = await world.ended(world.read(3));
      expect(end).toMatchObject({ ending: 'pending', code: failure.reason, stops: undefined });
      expect(world.count('read')).toBe(3);
      // Each time the service was asked whether it is there.
      expect(world.count('account')).toBe(3);
    },
  );

  test.each([busy, throttled(0)])(
    'that the service puts off uses no attempt up (%j)',
    async (failure) => {
      const world = new Answering();
      world.fails = (what, times) => (what === 'read' && times < 10 ? failure : undefined);
      expect(await world.until(world.read(1))).toBe(read);
    },
  );

  test('that is put off for as long as an outage may last stops the run, unless others are answered', async () => {
    const world = new Answering({ outageMs: minute });
    world.fails = (what) => (what === 'read' ? busy : undefined);
    expect(await world.ended(world.read())).toMatchObject({ code: 'outage', stops: 'run' });
    const reading = world.ended(world.read());
    await world.until(world.read(1, 'another'));
    expect(await reading).toMatchObject({ code: busy.reason, stops: undefined });
  });

  test('is answered in the end, and says nothing if that was soon', async () => {
    const world = new Answering();
    world.fails = (what, times) => (what === 'read' && times < 3 ? cut : undefined);
    expect(await world.until(world.read(3))).toBe(read);
    expect(world.told).toEqual([]);
  });

  test('pauses for longer each time, by chance, and never for so long that it would have to say why', async () => {
    const all: (readonly number[])[] = [];
    for (const seed of [1, 2, 3]) {
      const world = new Answering({}, seed);
      world.fails = (what) => (what === 'read' ? cut : undefined);
      await world.ended(world.read(6));
      all.push(pauses(world, 'read'));
    }
    expect(new Set(all.map(([first]) => first)).size).toBe(3);
    for (const [first = 0, second = 0, ...more] of all) {
      expect(first).toBeLessThan(1600);
      expect(second).toBeGreaterThan(1000);
      expect(Math.max(...more)).toBeLessThan(2100);
    }
  });

  test.each<[ApiFailure, object]>([
    [
      { reason: 'not-found', message: '' },
      { ending: 'failed', code: 'not-found' },
    ],
    [refused, { ending: 'failed', code: 'refused' }],
    [
      { reason: 'unauthorized', message: '' },
      { ending: 'pending', stops: 'run' },
    ],
    [
      { reason: 'local', message: 'full' },
      { ending: 'pending', stops: 'buying' },
    ],
    [
      { reason: 'payment-required', message: '' },
      { ending: 'failed', stops: undefined },
    ],
  ])('that is refused is not sent again (%j)', async (failure, expected) => {
    const world = new Answering();
    world.fails = () => failure;
    expect(await world.ended(world.read())).toMatchObject(expected);
    expect(world.sent.map(({ what }) => what)).toEqual(['read']);
  });
});

describe('an outage of the service', () => {
  test.each([cut, busy, down])('uses no attempt up (%j)', async (failure) => {
    const world = new Answering();
    world.fails = () => (world.virtual.elapsed < 10 * minute ? failure : undefined);
    expect(await world.until(world.read(1))).toBe(read);
    expect(world.count('read')).toBe(2);
    expect(world.told.at(-1)).toMatchObject({ type: 'back', of: 'service' });
    expect(world.calls.waitedMs).toBeGreaterThan(9 * minute);
  });

  test('is one for all calls: one probe at a time, and nothing else is sent', async () => {
    const world = new Answering();
    const over = 5 * minute;
    world.fails = () => (world.virtual.elapsed < over ? down : undefined);
    world.latencyMs = (what) => (what === 'account' ? 700 : 20);
    const values = Array.from({ length: 30 }, (_, index) => world.read(1, `read ${index}`));
    expect(await world.until(Promise.all(values))).toHaveLength(30);
    const probes = world.sent.filter(({ what }) => what === 'account').map(({ at }) => at);
    expect(Math.min(...pauses(world, 'account'))).toBeGreaterThanOrEqual(700);
    expect(probes.length).toBeLessThan(20);
    const meanwhile = world.sent.filter(
      ({ at, what }) => at > 20 && at < over && what !== 'account',
    );
    expect(meanwhile).toEqual([]);
  });

  test('lasts at most as long as it may, and then nothing is sent any more', async () => {
    const world = new Answering({ outageMs: 10 * minute });
    world.fails = () => down;
    const ends = await Promise.all([world.ended(world.read()), world.ended(world.create())]);
    for (const end of ends)
      expect(end).toMatchObject({ ending: 'pending', code: 'outage', stops: 'run' });
    expect(world.virtual.elapsed).toBeGreaterThanOrEqual(10 * minute);
    expect(world.virtual.elapsed).toBeLessThan(10 * minute + 1000);
    const before = world.sent.length;
    expect(await world.ended(world.read())).toMatchObject({ code: 'outage' });
    expect(world.sent).toHaveLength(before);
  });

  test('is told with its reason and limit from the first failed probe on', async () => {
    const world = new Answering();
    world.fails = () => (world.virtual.elapsed < 1500 ? down : undefined);
    await world.until(world.read());
    const since = '2026-08-05T10:00:00.020Z';
    const waiting = { type: 'waiting', of: 'service', since, limitMs: 900_000 };
    expect(world.told).toMatchObject([
      { ...waiting, tries: 1, nextTryMs: expect.any(Number) },
      { ...waiting, tries: 2 },
      { type: 'back', of: 'service', waitedMs: expect.any(Number) },
    ]);
  });

  test('is told while a probe waits for its answer', async () => {
    const world = new Answering();
    world.fails = (what, times) => (what === 'read' && times === 1 ? cut : undefined);
    world.latencyMs = (what) => (what === 'account' ? 30_000 : 20);
    await world.until(world.read());
    expect(world.told).toMatchObject([
      { type: 'waiting', of: 'service' },
      { type: 'back', waitedMs: 30_000 },
    ]);
  });

  test('that asks for a pause gets it from everybody', async () => {
    const world = new Answering();
    world.fails = (what, times) => (what === 'read' && times === 1 ? throttled(minute) : undefined);
    const first = world.read();
    const others = world.virtual.sleep(1000).then(() => world.read(1, 'other'));
    await world.until(Promise.all([first, others]));
    expect(world.sent.filter(({ at }) => at > 0 && at < minute)).toEqual([]);
    expect(world.told[0]).toMatchObject({ type: 'waiting', of: 'service', tries: 1 });
  });

  test('ends with the run, for everybody who waits', async () => {
    const world = new Answering();
    world.fails = () => down;
    let sent = 0;
    void world.virtual.sleep(minute).then(() => {
      sent = world.sent.length;
      world.stop.abort();
    });
    const waits = [world.read(), world.read(), world.fetch(), world.create()];
    for (const end of await Promise.all(waits.map((wait) => world.ended(wait))))
      expect(end).toMatchObject({ ending: 'pending', held: { by: 'run' }, stops: undefined });
    expect(world.virtual.elapsed).toBeLessThan(minute + 100);
    await world.ended(world.read());
    await world.ended(world.create());
    expect(world.sent).toHaveLength(sent);
  });

  test('is not needed for a pause to end with the run', async () => {
    const world = new Answering();
    world.fails = (what) => (what === 'read' ? cut : undefined);
    void world.virtual.sleep(100).then(() => world.stop.abort());
    expect(await world.ended(world.read())).toMatchObject({ held: { by: 'run' } });
    expect(world.virtual.elapsed).toBe(100);
  });

  test('ends with the run although a probe still waits for its answer', async () => {
    const world = new Answering();
    world.fails = () => cut;
    world.latencyMs = (what) => (what === 'account' ? 10 * minute : 20);
    void world.virtual.sleep(minute).then(() => world.stop.abort());
    expect(await world.ended(world.read())).toMatchObject({ held: { by: 'run' } });
    expect(world.virtual.elapsed).toBe(minute);
  });
});

describe('storage', () => {
  const [one, other] = ['https://one.example/a', 'https://two.example/b'];

  test('of each host is waited for by itself', async () => {
    const world = new Answering();
    world.fails = (what) => (what === one && world.virtual.elapsed < 5 * minute ? down : undefined);
    const late = world.fetch(one, 1);
    expect(await world.until(world.fetch(other, 1))).toBe(`bytes of ${other}`);
    expect(await world.until(world.read(1))).toBe(read);
    expect(world.virtual.elapsed).toBeLessThan(100);
    expect(await world.until(late)).toBe(`bytes of ${one}`);
    expect(world.told.at(-1)).toMatchObject({
      type: 'back',
      of: 'storage',
      at: 'https://one.example',
    });
    expect(world.calls.waitedMs).toBe(0);
  });

  test('at the host of the service is the service', async () => {
    const world = new Answering();
    const url = 'https://service.example/files/a';
    world.fails = (_, times) => (times < 2 ? down : undefined);
    await world.until(world.fetch(url, 1));
    expect(world.told[0]).toMatchObject({ of: 'service' });
  });

  test('is tried by one transfer at a time, each in turn, and is back for all when one succeeds', async () => {
    const world = new Answering();
    const files = [1, 2, 3, 4].map((number) => `https://one.example/${number}`);
    const over = 3 * minute;
    let [underWay, most] = [0, 0];
    world.fails = (what) => {
      const isFirst = world.virtual.elapsed === 0;
      if (!isFirst && world.virtual.elapsed < over) {
        most = Math.max(most, ++underWay);
        void world.virtual.sleep(world.latencyMs(what)).then(() => (underWay -= 1));
      }
      return world.virtual.elapsed < over ? busy : undefined;
    };
    world.latencyMs = () => 5000;
    await world.until(Promise.all(files.map((file) => world.fetch(file, 1))));
    expect(most).toBe(1);
    for (const file of files) expect(world.count(file)).toBeGreaterThan(2);
  });

  test('that has one bad file gives the others', async () => {
    const world = new Answering({ outageMs: 5 * minute });
    const [bad, good] = ['https://one.example/bad', 'https://one.example/good'];
    world.fails = (what) => (what === bad ? busy : undefined);
    const end = world.ended(world.fetch(bad));
    const files = Array.from({ length: 20 }, () =>
      world.virtual.sleep(1000).then(() => world.fetch(good)),
    );
    expect(await world.until(Promise.all(files))).toHaveLength(20);
    expect(world.virtual.elapsed).toBeLessThan(minute);
    expect(await end).toMatchObject({ code: 'outage', stops: 'run' });
  });

  test.each([
    ['is damaged', async () => ({ ok: false, error: { reason: 'damaged', message: '' } }) as const],
    ['is not begun for a bug', async () => Promise.reject(new Error('bug'))],
  ])('whose trial %s lets the next one try', async (_, call) => {
    const world = new Answering({}, 2);
    world.fails = (what, times) => (what === one && times === 1 ? down : undefined);
    const first = world.fetch(one, 1);
    const others = Array.from({ length: 9 }, () =>
      world.virtual.sleep(100).then(() => world.calls.storage(one, call, 1)),
    );
    const ends = await world.until(Promise.allSettled([first, ...others]));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', ...Array(9).fill('rejected')]);
    expect(world.told.at(-1)).toMatchObject({ type: 'back' });
  });

  test('whose transfers are cut is asked again as often as they may be, if the service answers', async () => {
    const world = new Answering();
    world.fails = (what) => (what === one ? cut : undefined);
    expect(await world.ended(world.fetch(one, 3))).toMatchObject({
      ending: 'pending',
      stops: undefined,
    });
    expect(world.count(one)).toBe(3);
  });

  test('whose transfers are cut while the service is away uses no attempt up', async () => {
    const world = new Answering();
    world.fails = () => (world.virtual.elapsed < 5 * minute ? cut : undefined);
    expect(await world.until(world.fetch(one, 1))).toBe(`bytes of ${one}`);
  });
});

describe('a creation', () => {
  const many = (world: Answering, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => world.create(`n${index}`)));

  test('waits until the service is back before it gets a permit', async () => {
    const world = new Answering();
    world.fails = (what) => (what !== 'create' && world.virtual.elapsed < 2000 ? down : undefined);
    const late = world.read();
    expect(await world.until(world.virtual.sleep(100).then(() => world.create()))).toBe('made');
    const { at = 0 } = world.sent.find(({ what }) => what === 'create') ?? {};
    expect(at).toBeGreaterThan(2000);
    await late;
  });

  test('goes at the pace of requests, after the gates, and not if they have closed meanwhile', async () => {
    const paced: number[] = [];
    const world: Answering = new Answering({
      pace: async () => {
        paced.push(world.virtual.elapsed);
        await world.virtual.sleep(500);
      },
    });
    world.fails = (what) => (what !== 'create' && world.virtual.elapsed < 3000 ? down : undefined);
    const reading = world.virtual.sleep(100).then(() => world.read());
    expect(await world.until(world.create('n', 0))).toBe('made');
    expect(paced[0]).toBe(0);
    const { at = 0 } = world.sent.find(({ what }) => what === 'create') ?? {};
    expect(at).toBe((paced[1] ?? 0) + 500);
    expect(paced[1]).toBeGreaterThan(3000);
    await reading;
  });

  test('that is not taken because of an outage uses no attempt up', async () => {
    const world = new Answering();
    world.fails = () => (world.virtual.elapsed < 5 * minute ? down : undefined);
    expect(await world.until(world.create('n', 1))).toBe('made');
  });

  test.each([throttled(0), busy])(
    'that is told to come back later holds up creations and nothing else (%j)',
    async (failure) => {
      const world = new Answering();
      world.fails = (what) =>
        what === 'create' && world.virtual.elapsed < 5 * minute ? failure : undefined;
      const made = many(world, 10);
      expect(await world.until(world.read(1))).toBe(read);
      expect(world.virtual.elapsed).toBeLessThan(100);
      expect(await world.until(made)).toEqual(Array(10).fill('made'));
      expect(world.told[0]).toMatchObject({ type: 'waiting', of: 'creations' });
      expect(world.told.at(-1)).toMatchObject({ type: 'back', of: 'creations' });
      // One trial at a time: ten at first, and hardly any until creations are back.
      const tries = world.sent.filter(({ what, at }) => what === 'create' && at < 5 * minute);
      expect(tries.length).toBeLessThan(30);
      expect(world.calls.waitedMs).toBe(0);
    },
  );

  test('that is always told to come back later is given up, and holds nobody up for long', async () => {
    const world = new Answering();
    const create = world.api.create.bind(world.api);
    const bad = new Set<string>();
    world.api.create = async (tool, body) => {
      if (body['name'] === 'bad') {
        bad.add(`${world.virtual.elapsed}`);
        return { ok: false, error: busy };
      }
      return await create(tool, body);
    };
    const ends = world.create('bad', 3);
    const others: Promise<string>[] = [];
    for (let number = 0; number < 200; number++)
      others.push(world.virtual.sleep(number * 100).then(() => world.create(`n${number}`)));
    expect(new Set(await world.until(Promise.all(others)))).toEqual(new Set(['made']));
    expect(world.virtual.elapsed).toBeLessThan(40_000);
    expect(await world.until(ends)).toBe('given up');
    expect(bad.size).toBeLessThan(10);
  });

  test('whose answer is lost is a doubt; two in a row close creations, and reads do not open them', async () => {
    const world = new Answering();
    world.fails = (what) => (what === 'create' ? cut : undefined);
    expect(await world.until(many(world, 2))).toEqual(['doubt', 'doubt']);
    expect(await world.until(world.read(1))).toBe(read);
    const late = await world.until(
      Promise.all(Array.from({ length: 20 }, () => world.create().catch((end: unknown) => end))),
    );
    // Two trials, and nothing more is bought.
    expect(world.count('create')).toBe(4);
    expect(late.filter((end) => end === 'doubt')).toHaveLength(2);
    for (const end of late.filter((one) => one !== 'doubt'))
      expect(end).toMatchObject({ ending: 'pending', code: 'no-answers', stops: 'buying' });
    // What is paid is still fetched.
    expect(await world.until(world.read(1))).toBe(read);
  });

  test('is tried after a read is answered, alone, and opens creations if it is answered', async () => {
    const world = new Answering();
    world.latencyMs = () => 1000;
    world.fails = (what, times) => (what === 'create' && times <= 3 ? cut : undefined);
    await world.until(many(world, 2));
    const asked = world.count('account');
    const ends = await world.until(many(world, 10));
    expect(ends.filter((end) => end === 'doubt')).toHaveLength(1);
    expect(world.count('account')).toBe(asked + 2);
    const [, , third, fourth, fifth] = world.sent.filter(({ what }) => what === 'create');
    expect((fourth?.at ?? 0) - (third?.at ?? 0)).toBeGreaterThan(5000);
    expect((fifth?.at ?? 0) - (fourth?.at ?? 0)).toBeGreaterThanOrEqual(1000);
    expect(world.told.at(-1)).toMatchObject({ type: 'back', of: 'creations' });
    // Answered ones begin the count again.
    world.fails = (what, times) => (what === 'create' && times === 13 ? cut : undefined);
    expect(await world.until(world.create())).toBe('doubt');
    expect(await world.until(world.create())).toBe('made');
  });

  test('that is refused is answered', async () => {
    const world = new Answering();
    world.fails = (what, times) =>
      what === 'create' ? (times === 2 ? refused : times <= 3 ? cut : undefined) : undefined;
    expect(await world.until(world.create())).toBe('doubt');
    expect(await world.until(world.create())).toBe('refused');
    expect(await world.until(world.create())).toBe('doubt');
    expect(world.told).toEqual([]);
  });

  test('is not sent with a permit from before creations were closed', async () => {
    const world = new Answering();
    world.fails = (what) => (what === 'create' ? cut : undefined);
    const early = await world.until(world.calls.readyToCreate());
    await world.until(many(world, 2));
    expect(early.isGood).toBe(false);
    const answer = await world.calls.create('tool', {}, early);
    expect(answer).toMatchObject({ ok: false, error: { reason: 'late' } });
    expect(world.count('create')).toBe(2);
  });

  test('is not sent with a permit while the service is away, nor with one that is over', async () => {
    const world = new Answering();
    const permit = await world.until(world.calls.readyToCreate());
    world.fails = () => (world.virtual.elapsed < 1000 ? down : undefined);
    const reading = world.read();
    await world.until(world.virtual.sleep(100));
    expect(permit.isGood).toBe(false);
    await world.until(reading);
    expect(permit.isGood).toBe(true);
    permit.over('unsent');
    expect(permit.isGood).toBe(false);
  });

  test('whose permit is not used lets the next one try', async () => {
    const world = new Answering();
    world.fails = (what, times) => (what === 'create' && times <= 2 ? cut : undefined);
    await world.until(many(world, 2));
    const trial = await world.until(world.calls.readyToCreate());
    expect(trial.usesAttempt).toBe(false);
    const next = world.create();
    await world.until(world.virtual.sleep(10 * minute));
    expect(world.count('create')).toBe(2);
    trial.over('unsent');
    expect(await world.until(next)).toBe('made');
  });

  test('that an event tells of is no doubt any more, and does not count', async () => {
    const world = new Answering();
    world.fails = (what, times) => (what === 'create' && times <= 2 ? cut : undefined);
    const permit = await world.until(world.calls.readyToCreate());
    await world.until(world.calls.create('tool', { name: 'n' }, permit));
    permit.over('unanswered');
    permit.over('unanswered');
    permit.over('answered');
    expect(await world.until(world.create())).toBe('doubt');
    expect(await world.until(world.create())).toBe('made');
    expect(world.told).toEqual([]);
  });

  test('that was under way when creations were closed neither opens them nor counts', async () => {
    const world = new Answering();
    world.latencyMs = (what) => (what === 'create' ? 1000 : 20);
    world.fails = (what, times) => (what === 'create' && times !== 5 ? cut : undefined);
    const lost = ['doubt', 'doubt', 'doubt', 'doubt'];
    expect(await world.until(many(world, 6))).toEqual([...lost, 'made', 'doubt']);
    expect(world.told.map(({ type }) => type)).toEqual(['waiting']);
    expect(await world.until(world.create())).toBe('doubt');
    expect(await world.until(world.create())).toBe('doubt');
    expect(await world.ended(world.create())).toMatchObject({ code: 'no-answers' });
    expect(world.count('create')).toBe(8);
  });

  test('whose answer is lost is tried again for its own limit, however long an outage may last', async () => {
    const world = new Answering({ outageMs: 1000 });
    world.fails = (what) => (what === 'create' ? cut : undefined);
    await world.until(many(world, 2));
    for (let trials = 0; trials < 2; trials++)
      expect(await world.until(world.create())).toBe('doubt');
    expect(await world.ended(world.create())).toMatchObject({ code: 'no-answers' });
    expect(world.virtual.elapsed).toBeGreaterThan(8000);
  });

  test('is not tried while the service is away', async () => {
    const world = new Answering();
    world.fails = (what, times) => (what === 'create' && times <= 2 ? cut : undefined);
    await world.until(many(world, 2));
    world.fails = (what) =>
      what === 'account' && world.virtual.elapsed < 5 * minute ? cut : undefined;
    expect(await world.until(world.create())).toBe('made');
    expect(world.sent.at(-1)?.at).toBeGreaterThan(5 * minute);
  });

  test('that an event tells of while creations are closed lets more trials be made', async () => {
    const world = new Answering();
    world.fails = (what) => (what === 'create' ? cut : undefined);
    const permit = await world.until(world.calls.readyToCreate());
    await world.until(world.calls.create('tool', { name: 'n' }, permit));
    permit.over('unanswered');
    expect(await world.until(world.create())).toBe('doubt');
    permit.over('answered');
    for (let trials = 0; trials < 4; trials++)
      expect(await world.until(world.create())).toBe('doubt');
    expect(await world.ended(world.create())).toMatchObject({ code: 'no-answers' });
  });
});

describe('the account', () => {
  test('is asked once', async () => {
    const world = new Answering();
    const [owner, again] = await world.until(
      Promise.all([world.calls.owner(), world.calls.owner()]),
    );
    expect(owner).toMatch(/^\S+$/);
    expect(again).toBe(owner);
    expect(world.count('account')).toBe(1);
    const other = new Answering();
    other.account = { id: 'you', credits: 1 };
    expect(await other.until(other.calls.owner())).not.toBe(owner);
  });

  test.each([undefined, { credits: 1 }, { id: '', credits: 1 }])(
    'without an id has no name (%j)',
    async (account) => {
      const world = new Answering();
      world.account = account;
      expect(await world.until(world.calls.owner())).toBe('');
    },
  );
});

describe('whatever fails, every call ends, none is lost, and closed creations are tried one at a time', () => {
  const failures: readonly ApiFailure[] = [down, cut, busy, throttled(0), throttled(5000), refused];

  test.each(
    sampleOf(
      Array.from({ length: 300 }, (_, index) => index + 1),
      40,
    ),
  )('seed %d', async (seed) => {
    const chance = chances(seed);
    const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(chance() * list.length)];
    const world = new Answering({ outageMs: chance() < 0.3 ? 20_000 : 900_000 }, seed);
    const hosts = ['https://one.example/a', 'https://two.example/b', 'https://service.example/c'];
    // Times at which some of the calls fail, all of them or each now and then.
    const troubles = Array.from({ length: 1 + Math.floor(chance() * 6) }, () => {
      const from = chance() * 100_000;
      const whats = [['create'], hosts, ['account', 'create', 'read', ...hosts]];
      return {
        ...{ from, to: from + chance() ** 3 * 300_000, share: chance() < 0.5 ? 1 : chance() },
        ...{ whats: pick(whats) ?? [], failure: pick(failures) ?? down },
      };
    });
    const failureOf = (what: string): ApiFailure | undefined =>
      troubles.find(
        ({ from, to, whats, share }) =>
          from <= world.virtual.elapsed &&
          world.virtual.elapsed < to &&
          whats.includes(what) &&
          chance() < share,
      )?.failure;
    world.fails = failureOf;
    const slow = chance() < 0.3 ? 20_000 : 500;
    world.latencyMs = () => 1 + Math.floor(chance() * slow);
    // Whether creations are closed, as far as anybody can tell who sees their answers.
    let [lost, isClosed, underWay, doubts, mostDoubts] = [0, false, 0, 0, 0];
    const create = world.api.create.bind(world.api);
    world.api.create = async (tool, body) => {
      const isTrial = isClosed;
      if (isTrial) expect(++underWay).toBe(1);
      const answer = await create(tool, body);
      const reason = answer.ok ? 'refused' : answer.error.reason;
      if (isTrial) underWay -= 1;
      else if (isClosed) return answer;
      if (reason === 'refused') [lost, isClosed, doubts] = [0, false, 0];
      if (reason === 'throttled' || reason === 'unavailable') isClosed = true;
      if (reason === 'unanswered') lost += 1;
      if (reason === 'unanswered' && isTrial) mostDoubts = Math.max(mostDoubts, ++doubts);
      if (lost >= 2) isClosed = true;
      return answer;
    };
    const ends: unknown[] = [];
    const begun: Promise<unknown>[] = [];
    for (let number = 0; number < 60; number++) {
      const what = pick(['create', 'read', ...hosts]) ?? 'read';
      const attempts = 1 + Math.floor(chance() * 4);
      const work = async (): Promise<unknown> => {
        await world.virtual.sleep(chance() * 150_000);
        if (what === 'create') return await world.create(`n${number}`, attempts);
        return what === 'read' ? await world.read(attempts) : await world.fetch(what, attempts);
      };
      const end = work().then(
        (value) => ends.push(value),
        (error: unknown) => {
          ends.push(error);
          expect(error).toMatchObject({ ending: expect.stringMatching(/^(pending|failed)$/) });
        },
      );
      begun.push(end);
    }
    await world.until(Promise.all(begun));
    expect(ends).toHaveLength(60);
    expect(mostDoubts).toBeLessThanOrEqual(4);
  });
});
