// An outage in the middle of a run: the service goes away and comes back. The run waits; no task fails, no attempt is spent,
// nothing is paid twice. With a real service that is stopped: test/e2e/outage.test.ts.
import { describe, expect, test } from 'vitest';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import { World } from '../kit/world.ts';

const photos = (count: number, limits: string): World =>
  new World(
    `pipeline: photos
items: { glob: photos/*.png }
output: out
limits: { ${limits} }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}" } }
  tidy: { uses: delete, with: { of: colour } }
`,
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`photos/p${index + 1}.png`, `photo ${index}`]),
    ),
  );

const nobody: ApiFailure = { reason: 'unreachable', message: 'cannot be reached' };

/** The service is away from the first look on, when no creation is under way; `missed` hears of each call since. */
function goesAway(world: World, missed: (times: number) => void = () => undefined): void {
  let times = 0;
  world.service.fails = ({ call }) => {
    if (times === 0 && call !== 'look') return undefined;
    missed(++times);
    return nobody;
  };
}

const back = (world: World): void => {
  world.service.fails = () => undefined;
};

async function goesOn(world: World, count: number): Promise<void> {
  back(world);
  const { summary } = await world.run();
  expect(summary).toMatchObject({ outcome: 'done', items: { done: count }, tasks: { failed: 0 } });
  isPaidOnce(world, count);
}

function isPaidOnce(world: World, count: number): void {
  expect(Object.values(world.bill)).toEqual(Array.from({ length: count }, () => 10));
  expect(world.outputs).toHaveLength(count);
  expect(world.state).not.toContain('"attempt":2');
}

test('the run waits, goes on by itself, and nothing fails', async () => {
  const world = photos(12, 'items: 8, outage: 15m');
  goesAway(world, (times) => {
    if (times === 40) back(world);
  });
  const { summary, events } = await world.run();
  expect(summary).toMatchObject({
    ...{ outcome: 'done', items: { done: 12 }, problems: [] },
    tasks: { failed: 0, pending: 0, doubt: 0, blocked: 0 },
    credits: { charged: 120, refunded: 0, reserved: 0 },
  });
  isPaidOnce(world, 12);
  expect(events.find(({ type }) => type === 'waiting')).toMatchObject({
    ...{ of: 'service', tries: 1, limitMs: 15 * 60_000 },
  });
  expect(events.some(({ type }) => type === 'back')).toBe(true);
});

test('an outage that lasts longer than limits.outage stops the run, and the next run goes on', async () => {
  const world = photos(8, 'items: 8, outage: 1m');
  goesAway(world);
  const { summary } = await world.run();
  expect(summary).toMatchObject({
    ...{ outcome: 'failed', stoppedBy: 'outage', tasks: { failed: 0, doubt: 0 } },
  });
  expect((await world.status()).doubts).toEqual([]);
  await goesOn(world, 8);
});

test('a run that is interrupted while it waits ends at once, with nothing in doubt', async () => {
  const world = photos(8, 'items: 8, outage: 15m');
  const person = new AbortController();
  goesAway(world, (times) => {
    if (times === 3) person.abort();
  });
  const { summary } = await world.run({ signal: person.signal });
  expect(summary).toMatchObject({ outcome: 'interrupted', tasks: { failed: 0, doubt: 0 } });
  expect((await world.status()).doubts).toEqual([]);
  await goesOn(world, 8);
});

test('a run that dies while it waits leaves nothing in doubt', async () => {
  const first = photos(8, 'items: 8, outage: 15m');
  let request = 0;
  const person = new AbortController();
  goesAway(first, (times) => {
    if (times === 4) request = first.requests.length;
    if (times === 20) person.abort();
  });
  await first.run({ signal: person.signal });
  const world = photos(8, 'items: 8, outage: 15m');
  goesAway(world);
  expect((await world.run({ cut: { request, when: 'before' } })).outcome).toBe('killed');
  expect((await world.status()).doubts).toEqual([]);
  await goesOn(world, 8);
});

describe('a service that is there and takes nothing for a while', () => {
  test.each<[string, ApiFailure, string, number]>([
    [
      'creations with 429',
      { reason: 'throttled', retryAfterMs: 0, message: 'too many' },
      'creations',
      1,
    ],
    ['everything with 502', { reason: 'unavailable', status: 502, message: 'later' }, 'service', 9],
  ])('answers %s: the run waits, and nothing fails', async (_, failure, of, from) => {
    const world = photos(5, 'items: 2, outage: 15m');
    let calls = 0;
    world.service.fails = ({ call }) => {
      if (of === 'creations' && call !== 'create') return undefined;
      calls += 1;
      return calls > from && calls <= from + 20 ? failure : undefined;
    };
    const { summary, events } = await world.run();
    expect(summary).toMatchObject({
      ...{ outcome: 'done', items: { done: 5 }, tasks: { failed: 0, pending: 0, doubt: 0 } },
    });
    isPaidOnce(world, 5);
    expect(events).toContainEqual(expect.objectContaining({ type: 'waiting', of }));
    expect(events.some(({ type }) => type === 'back')).toBe(true);
  });
});

test('where all that is left is answered with 503, the run stops with what it has', async () => {
  const world = photos(1, 'items: 1, outage: 1m');
  world.service.fails = ({ call }) =>
    call === 'delete' ? { reason: 'unavailable', status: 503, message: 'later' } : undefined;
  const { summary } = await world.run();
  expect(summary).toMatchObject({
    ...{ outcome: 'failed', stoppedBy: 'outage', tasks: { doubt: 0, failed: 0 } },
  });
  expect(world.outputs).toEqual(['p1.png']);
});

test('a lost answer to a creation stays a doubt while the service is away', async () => {
  const world = photos(3, 'items: 1, outage: 15m');
  let missed = 0;
  world.service.fate = ({ number }) => {
    if (number > 1) return undefined;
    world.service.fails = () => (missed++ < 5 ? nobody : undefined);
    return { lost: 'taken' };
  };
  const { summary } = await world.run();
  expect(summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 1, failed: 0 } });
  expect(Object.values(world.bill)).toEqual([10, 10, 10]);
});
