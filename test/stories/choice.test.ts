// Choosing steps and items: a run does what was chosen, plan says the same beforehand, what is left out is never deleted, and
// whatever was chosen in which order, the next full run completes everything and pays for nothing twice.
import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../../src/index.ts';
import { type Told, World } from '../kit/world.ts';

type Chosen = Pick<RunOptions, 'items' | 'only' | 'until' | 'exclude'>;

/** For each step: how many tasks are done, reused, excluded. */
type Steps = Readonly<Record<string, Readonly<Record<string, number>>>>;

const photos = (limits = ''): string => `pipeline: photos
items: { glob: photos/*.png }
output: out
${limits}
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap:
    uses: face-swap-photo
    if: size(steps.faces.faces) > 0
    with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
  tidy: { uses: delete, with: { of: swap } }
`;

const begin = (count: number, pipeline = photos()): World =>
  new World(pipeline, {
    'actor.png': 'actor',
    ...Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `photos/p${index + 1}.png`,
        `p${index} faces=1`,
      ]),
    ),
  });

/** What plan says a run would do, in the words of a run. */
async function foretold(world: World, chosen: Chosen): Promise<Steps> {
  const words: Readonly<Record<string, string>> = {
    begin: 'done',
    maybe: 'done',
    attach: 'done',
    copy: 'done',
    reuse: 'reused',
  };
  const { plan } = await world.plan(chosen);
  return countsOf(
    plan.rows.flatMap(({ step, tasks }) =>
      Object.entries(tasks).map(
        ([action, count]) => [step, words[action] ?? action, count] as const,
      ),
    ),
  );
}

/** What a run did. */
const happened = ({ ends }: Told): Steps =>
  countsOf([...ends.values()].map(({ step, ending }) => [step, ending, 1] as const));

function countsOf(counted: readonly (readonly [string, string, number])[]): Steps {
  const steps: Record<string, Record<string, number>> = {};
  for (const [step, word, count] of counted) {
    const counts = steps[step] ?? {};
    counts[word] = (counts[word] ?? 0) + count;
    steps[step] = counts;
  }
  return steps;
}

const deletions = (world: World): number =>
  world.requests.filter((request) => request.startsWith('delete ')).length;

const choices: readonly Chosen[] = [
  { only: ['swap'] },
  { only: ['save'] },
  { only: ['tidy'] },
  { only: ['actor', 'faces'] },
  { only: ['swap', 'save'] },
  { until: ['faces'] },
  { until: ['swap'] },
  { until: ['tidy'] },
  { exclude: ['save'] },
  { exclude: ['tidy'] },
  { exclude: ['swap'] },
  { exclude: ['photo'] },
  { exclude: ['actor'] },
  { until: ['save'], exclude: ['faces'] },
  { exclude: ['p2.png'] },
  { exclude: ['{p2,p3}.png', 'save'], only: ['swap', 'save'] },
  { items: { only: 'p[12].png' }, until: ['save'] },
  { items: { limit: 1 } },
];

describe.each<[string, Chosen | undefined]>([
  ['at the beginning', undefined],
  ['when all photos are swapped', { until: ['swap'] }],
  ['when one photo is finished', { items: { only: 'p2.png' } }],
])('%s', (_, before) => {
  test.each(choices.map((chosen) => [JSON.stringify(chosen), chosen] as const))(
    '%s: plan and run agree, nothing unsaved is deleted, and the next full run completes it',
    async (_words, chosen) => {
      const world = begin(3);
      if (before !== undefined) await world.run(before);
      const expected = await foretold(world, chosen);
      const told = await world.run(chosen);
      expect(told.outcome).toBe('done');
      expect(happened(told)).toEqual(expected);
      expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: 3 } });
      expect(Object.values(world.bill)).toEqual([10, 10, 10]);
      expect(world.outputs).toEqual(['p1.png', 'p2.png', 'p3.png']);
      expect([deletions(world), world.service.deletedUnsaved]).toEqual([3, []]);
    },
  );
});

describe('a shared project that is deleted without a download', () => {
  /** The actor is coloured once; every photo's swap uses that, then it goes. */
  const sharing = `pipeline: photos
items: { glob: photos/*.png }
output: out
steps:
  actor: { uses: upload, with: { file: actor.png } }
  coloured: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.actor.file_path }}" } } }
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.coloured.url }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
  drop: { uses: delete, with: { of: coloured, discard: true } }
`;

  test.each<[string, Chosen]>([
    ['some items', { items: { only: 'p1.png' } }],
    ['a step that uses it is excluded, also of some items', { exclude: ['swap', 'p3.png'] }],
    ['until a step that uses it', { until: ['save'] }],
  ])('is kept with %s, since others need it still; plan says so', async (_, chosen) => {
    const world = begin(3, sharing);
    const expected = await foretold(world, chosen);
    expect(expected['drop']).toEqual({ excluded: 1 });
    expect(happened(await world.run(chosen))).toEqual(expected);
    expect(deletions(world)).toBe(0);
    expect((await world.run()).summary).toMatchObject({ outcome: 'done', items: { done: 3 } });
    expect(deletions(world)).toBe(1);
    expect(Object.values(world.bill)).toEqual([10, 10, 10, 10]);
    expect((await world.run()).summary).toMatchObject({ tasks: { done: 0 } });
  });

  test('goes when all items are chosen', async () => {
    const world = begin(2, sharing);
    const chosen = { items: { only: 'p*.png', limit: 9 } };
    const expected = await foretold(world, chosen);
    expect(happened(await world.run(chosen))).toEqual(expected);
    expect(deletions(world)).toBe(1);
  });
});

describe('what failed', () => {
  const oneByOne = photos('limits: { items: 1 }');
  const failures = async (world: World): Promise<readonly string[]> =>
    (await world.status()).failures.map(({ task }) => task);
  const failing = (world: World, number: number): void => {
    world.service.fate = (made) => (made.number === number ? { error: 'no_source_face' } : {});
  };

  test('is tried again, and is free where nothing failed', async () => {
    const world = begin(3, oneByOne);
    failing(world, 2);
    expect((await world.run()).outcome).toBe('failed');
    expect(await failures(world)).toEqual(['swap:p2.png']);
    for (const charge of [10, 0]) {
      expect(await world.run()).toMatchObject({ outcome: 'done', charged: charge });
      expect(await failures(world)).toEqual([]);
    }
  });

  test('is a photo whose changed content failed, although its first content was done', async () => {
    const world = begin(2, oneByOne);
    failing(world, 3);
    await world.run();
    world.write('photos/p1.png', 'changed faces=1');
    expect((await world.run()).outcome).toBe('failed');
    expect(await failures(world)).toEqual(['swap:p1.png']);
    expect((await world.run()).outcome).toBe('done');
    expect(await failures(world)).toEqual([]);
  });

  test('is no photo that failed and was replaced by one that is done', async () => {
    const world = begin(2, oneByOne);
    failing(world, 1);
    await world.run();
    world.write('photos/p1.png', 'another faces=1');
    expect((await world.run()).outcome).toBe('done');
    expect(await failures(world)).toEqual([]);
  });

  test('may be a shared task', async () => {
    const world = begin(2, oneByOne.replace(/ {2}photo:[\s\S]*/, ''));
    world.service.fails = ({ call }) =>
      call === 'put' ? { reason: 'refused', status: 400, message: 'No.' } : undefined;
    await world.run();
    expect(await failures(world)).toEqual(['actor']);
    world.service.fails = () => undefined;
    expect((await world.run()).outcome).toBe('done');
    expect(await failures(world)).toEqual([]);
  });
});
