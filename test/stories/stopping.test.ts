// A run is stopped: what was sent is recorded, and the next run goes on from there without paying again. By signals, terminals
// and pipes: test/e2e/stopping.test.ts.
import { describe, expect, test } from 'vitest';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import { World } from '../kit/world.ts';

const photos = (count: number, limits = ''): World =>
  new World(
    `pipeline: photos
items: { glob: photos/*.png }
output: out
${limits}
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}" } }
`,
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`photos/p${index + 1}.png`, `photo ${index}`]),
    ),
  );

const throttled: ApiFailure = { reason: 'throttled', message: '' };
const hour = 3_600_000;

async function goesOn(world: World, count: number): Promise<void> {
  world.service.fails = () => undefined;
  world.service.renderMs = () => 2000;
  expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: count } });
  expect(Object.values(world.bill)).toEqual(Array.from({ length: count }, () => 10));
}

describe('while a creation is under way', () => {
  /** Every creation is refused once; then the run is stopped while the next one is being answered. */
  function stoppedInCreation(world: World): AbortSignal {
    const person = new AbortController();
    const refused = new Set<string>();
    world.service.fails = ({ call, about }) => {
      if (call !== 'create') return undefined;
      if (!refused.has(about)) {
        refused.add(about);
        return throttled;
      }
      person.abort();
      return undefined;
    };
    return person.signal;
  }

  test('that was sent again keeps its answer: the project is recorded, and not paid again', async () => {
    const world = photos(2);
    const { summary } = await world.run({ signal: stoppedInCreation(world) });
    expect(world.service.charged).toBeGreaterThan(0);
    expect(summary).toMatchObject({
      ...{ outcome: 'interrupted', credits: { charged: world.service.charged, reserved: 0 } },
    });
    await goesOn(world, 2);
  });

  test('that was sent again and got no answer is in doubt, not forgotten', async () => {
    const world = photos(1);
    world.service.fate = () => ({ lost: 'taken' });
    await world.run({ signal: stoppedInCreation(world) });
    expect((await world.run()).summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 1 } });
    expect(world.service.charged).toBe(10);
  });
});

describe('a stop waits for nothing but answers', () => {
  /** The run is stopped at the first call of a kind, which may fail. Returns how long it took from there. */
  async function stoppedAt(world: World, kind: string, failure?: ApiFailure): Promise<number> {
    const person = new AbortController();
    let from = 0;
    world.service.fails = ({ call }) => {
      if (call !== kind) return undefined;
      if (from === 0) from = world.clock.elapsed;
      person.abort();
      return failure;
    };
    expect((await world.run({ signal: person.signal })).outcome).toBe('interrupted');
    return world.clock.elapsed - from;
  }

  test.each<[string, string, string, (world: World) => void, ApiFailure?]>([
    [
      'not for a service that asks to come back in an hour',
      ...(['create', ''] as const),
      () => undefined,
      { ...throttled, retryAfterMs: hour },
    ],
    [
      'not for the turn of a request, where there are few a minute',
      ...(['addresses', 'limits: { requests_per_minute: 1 }'] as const),
      () => undefined,
    ],
    [
      'not for a project that takes its time',
      ...(['look', ''] as const),
      (world) => {
        world.service.renderMs = () => 2 * hour;
      },
    ],
  ])('%s', async (_, kind, limits, prepare, failure) => {
    const world = photos(2, limits);
    prepare(world);
    expect(await stoppedAt(world, kind, failure)).toBeLessThan(hour);
    await goesOn(world, 2);
  });
});

test('what is paid and still renders is counted, and nothing counts as failed', async () => {
  const world = photos(3);
  const person = new AbortController();
  world.service.fate = ({ number }) => {
    if (number === 2) person.abort();
    return { ms: 60_000 };
  };
  const { summary } = await world.run({ signal: person.signal });
  const { rendering = 0, ready = 0 } = summary?.paid ?? {};
  expect(summary).toMatchObject({ outcome: 'interrupted', groups: [] });
  expect(rendering + ready).toBe(world.service.projects.size);
  expect((await world.status()).failures).toEqual([]);
});
