// Takes: `reroll` pays for another one on purpose, once; `pick` chooses, and only then does anything downstream run again.
import { describe, expect, test } from 'vitest';
import { orphans, planReroll, Refusal, type RunEvent } from '../../src/index.ts';
import { World } from '../kit/world.ts';

const photos = (more = ''): string => `pipeline: photos
items: { glob: photos/*.png }
output: out
${more}
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "https://example.com/face.png" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
`;
const tidy = `${photos()}  tidy: { uses: delete, with: { of: swap } }\n`;
/** The swap is kept at the service; a second paid step uses it. */
const chained = `${photos()}\
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
  keep: { uses: download, with: { of: colour, to: "colour/\${{ item.key }}" } }
`;
const swap = 'swap:p1.png';

/** What is picked and pruned is on the real disk. */
const begin = (pipeline = tidy, count = 1): World =>
  new World(
    pipeline,
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`photos/p${index + 1}.png`, `photo ${index}`]),
    ),
    { disk: 'folder' },
  );

const known = async (world: World): Promise<readonly unknown[]> =>
  (await world.plan()).plan.takes ?? [];

describe('reroll', () => {
  test('pays for one more take, saves it, deletes its project, and leaves the result as it is', async () => {
    const world = begin(tidy, 2);
    await world.run();
    const before = world.read('out/p1.png');
    const planned = await world.do((loaded, own) => planReroll(loaded, [swap], own));
    const tidied = planned.plan.rows.find(({ step }) => step === 'tidy')?.tasks.begin;
    expect([planned.plan.credits, tidied]).toEqual([10, 1]);
    expect((await world.reroll([swap])).outcome).toBe('done');
    expect(world.bill).toEqual({ [swap]: 20, 'swap:p2.png': 10 });
    expect((await world.status()).takes).toMatchObject([
      {
        tasks: [swap],
        takes: [
          { number: 1, picked: true, state: 'deleted', credits: 10 },
          { number: 2, picked: false, state: 'deleted', credits: 10 },
        ],
      },
    ]);
    expect(world.read('out/p1.png')).toBe(before);
    expect(world.outputs).toEqual(['p1.png', 'p2.png', 'takes/swap/p1.png.take2.png']);
    expect((await world.run()).summary).toMatchObject({ tasks: { done: 0 } });
    expect(await known(world)).toEqual([{ task: swap, known: 2, picked: 1 }]);
    expect(world.service.deletedUnsaved).toEqual([]);
  });

  test('of an item is one of its last paid results, and nothing downstream runs before a pick', async () => {
    const world = begin(chained);
    await world.run();
    await world.reroll(['p1.png']);
    expect(world.bill).toEqual({ [swap]: 10, 'colour:p1.png': 20 });
    await world.reroll([swap]);
    await world.run();
    expect(world.bill).toEqual({ [swap]: 20, 'colour:p1.png': 20 });
  });

  test('buys nothing for a photo that changes before it begins', async () => {
    const world = new World(photos(), { 'photos/p1.png': 'a' });
    await world.run();
    const onEvent = ({ type }: RunEvent): void => {
      if (type === 'planned') world.write('photos/p1.png', 'b');
    };
    const { endings, charged } = await world.reroll([swap], { onEvent });
    expect([endings[swap], charged]).toEqual(['blocked', 0]);
  });

  test('is another one also where only the receipts know the takes', async () => {
    const world = begin(tidy);
    await world.run();
    const { state } = world;
    await world.reroll([swap]);
    world.state = state;
    expect((await world.reroll([swap])).charged).toBe(10);
    expect(world.bill).toEqual({ [swap]: 30 });
  });

  test('lists the files of takes without those that were pruned', async () => {
    const world = begin(photos());
    await world.run();
    await world.reroll([swap]);
    const files = async () =>
      (await world.status()).takes.flatMap(({ takes }) => takes.map((take) => take.files));
    expect(await files()).toEqual([['out/p1.png'], ['out/takes/swap/p1.png.take2.png']]);
    world.remove('photos/p1.png');
    world.write('photos/p2.png', 'tulip');
    await world.prune();
    expect(await files()).toEqual([[], []]);
  });

  test('of more tasks than a plan lists names a hundred of them', async () => {
    const keys = Array.from({ length: 101 }, (_, index) => `{ key: k${index} }`).join(', ');
    const world = new World(`pipeline: many
items: { values: [${keys}] }
limits: { items: 50 }
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } } }
`);
    await world.run();
    await world.reroll(Array.from({ length: 101 }, (_, index) => `paint:k${index}`));
    expect(await known(world)).toHaveLength(100);
  });

  test('of two tasks buys nothing for the other tasks of their items', async () => {
    const world = begin(chained, 2);
    await world.run({ items: { only: 'p1.png' } });
    await world.run({ until: ['save'] });
    const names = ['colour:p1.png', 'swap:p2.png'];
    const planned = await world.do((loaded, own) => planReroll(loaded, names, own));
    expect(planned.plan.credits).toBe(20);
    expect((await world.reroll(names)).charged).toBe(20);
    expect(world.bill).toEqual({ [swap]: 10, 'swap:p2.png': 20, 'colour:p1.png': 20 });
  });

  test('keeps to the budget of one item, which its takes count in, and to that of the run', async () => {
    const world = begin(photos('budget: { per_item: 25 }'));
    await world.run();
    expect((await world.reroll([swap], { budget: 5 })).outcome).toBe('budget');
    await world.reroll([swap]);
    expect((await world.reroll([swap])).summary).toMatchObject({
      ...{ outcome: 'budget', held: 1, problems: [] },
      cap: { name: 'budget.per_item', most: 25, spent: 20, needed: 30 },
    });
    expect(world.bill).toEqual({ [swap]: 20 });
  });

  test.each(['before', 'after'] as const)(
    'cut %s every other line of the state file is completed by the next one, which buys no third take',
    async (when) => {
      for (let line = when === 'before' ? 1 : 2; ; line += 2) {
        const world = new World(tidy, { 'photos/p1.png': 'rose' });
        await world.run();
        const { outcome } = await world.reroll([swap], { cut: { line, when } });
        if (outcome !== 'killed') return expect(line).toBeGreaterThan(5);
        const where = `cut ${when} line ${line}`;
        const { doubts } = await world.status();
        if (doubts.length > 0) {
          await expect(world.reroll([swap]), where).rejects.toThrow(/take 2/);
          const made = [...world.service.projects.values()][1];
          const how =
            made === undefined
              ? { how: 'not-charged' as const }
              : { how: 'project' as const, project: made.id };
          await world.resolve(swap, how);
        }
        // What is complete is a reason for one more.
        const [known] = (await world.status()).takes;
        const isComplete = known?.takes[1]?.complete === true;
        expect((await world.reroll([swap])).outcome, where).toBe('done');
        expect(world.bill, where).toEqual({ [swap]: isComplete ? 30 : 20 });
        world[Symbol.dispose]();
      }
    },
  );

  test('completes a take that is paid and not saved, unless the next run does, which else tells of it', async () => {
    const world = begin();
    await world.run();
    await world.reroll([swap], { cut: { line: 4, when: 'before' } });
    const { events, charged } = await world.run();
    expect(charged).toBe(0);
    const [takes] = (await world.status()).takes;
    const isSaved = takes?.takes[1]?.complete === true;
    expect(events.filter(({ type }) => type === 'warning')).toHaveLength(1);
    if (!isSaved) await world.reroll([swap]);
    expect(world.bill).toEqual({ [swap]: 20 });
    expect(world.outputs).toEqual(['p1.png', 'takes/swap/p1.png.take2.png']);
  });
});

describe('pick', () => {
  test('makes the next run copy the file, and pay for what is downstream: exactly what the plan says', async () => {
    const world = begin(chained);
    await world.run();
    const first = world.read('out/p1.png');
    await world.reroll([swap]);
    const before = world.requests.length;
    await world.pick(swap, 2);
    expect(world.requests).toHaveLength(before);
    // Before anything replaces it, the file of the first take has a place of its own.
    expect(world.read('out/takes/swap/p1.png.take1.png')).toBe(first);
    expect(world.read('out/p1.png')).toBe(first);
    expect((await world.plan()).plan.credits).toBe(10);
    expect((await world.run()).charged).toBe(10);
    expect(world.read('out/p1.png')).toBe(world.read('out/takes/swap/p1.png.take2.png'));
    const colour = world.read('out/colour/p1.png');
    // Back again: everything is known from before.
    await world.pick(swap, 1);
    expect((await world.plan()).plan.credits).toBe(0);
    await world.run();
    expect(world.read('out/p1.png')).toBe(first);
    expect(world.read('out/colour/p1.png')).not.toBe(colour);
    expect(world.bill).toEqual({ [swap]: 20, 'colour:p1.png': 20 });
    const { files, projects } = await world.do((loaded, own) => orphans(loaded, own));
    const shown = [...files.map(({ path }) => path), ...projects.flatMap(({ tasks }) => tasks)];
    expect(shown.filter((name) => /take|swap/.test(name))).toEqual([]);
  });

  test('of a deleted project needs no download', async () => {
    const world = begin();
    await world.run();
    await world.reroll([swap]);
    await world.pick(swap, 2);
    expect(await world.run()).toMatchObject({ outcome: 'done', charged: 0 });
    expect(world.read('out/p1.png')).toBe(world.read('out/takes/swap/p1.png.take2.png'));
    expect((await world.run()).summary?.tasks.done).toBe(0);
  });
});

test('one element of a fan-out is rerolled by its index, and what it is made of is not', async () => {
  const world = begin(
    `pipeline: p
output: out
steps:
  img: { uses: ai-image-generator, with: { image_count: 2, model: flux-schnell, resolution: 640px, style: { prompt: a lighthouse } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } } }
  save: { uses: download, with: { of: up, to: "\${{ each.index }}.png" } }
`,
    0,
  );
  await world.run();
  await expect(world.reroll(['up'])).rejects.toThrow(/up\[0\]/);
  await world.reroll(['up[1]']);
  await world.reroll(['img']);
  expect(world.bill).toEqual({ img: 20, 'up[0]': 25, 'up[1]': 50 });
  // Both pictures of the result are saved.
  expect(world.outputs.filter((path) => path.startsWith('takes/'))).toEqual([
    'takes/img.take2-1.png',
    'takes/img.take2-2.png',
    'takes/up[1].take2.png',
  ]);
  await world.pick('img', 2);
  expect((await world.plan()).plan.credits).toBe(50);
});

test('what has no takes is refused by reroll and by pick, and nothing is sent', async () => {
  const world = begin(chained, 2);
  await world.run({ items: { only: 'p1.png' } });
  const before = world.requests.length;
  for (const names of [
    ...[['swap:p9.png'], ['p9.png'], ['save:p1.png'], ['swap'], ['swap:p2.png']],
    [swap, 'colour:p1.png'],
  ])
    await expect(world.reroll(names), names.join()).rejects.toThrow(Refusal);
  await expect(world.pick(swap, 2)).rejects.toThrow(Refusal);
  expect(world.requests).toHaveLength(before);
});
