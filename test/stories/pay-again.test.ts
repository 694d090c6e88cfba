// `--pay-again <task>`: what is paid and finished is bought once more, when a person who has seen the price says yes.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const memes = `pipeline: memes
items: { values: [a, b] }
output: out
steps:
  meme: { uses: ai-meme-generator, with: { style: { template: Random, topic: "\${{ item.value }}" } } }
  save: { uses: download, with: { of: meme, to: "\${{ item.key }}.png" } }
`;
const tidy = '  tidy: { uses: delete, with: { of: meme } }\n';
/** The files that were replaced. */
const keptFiles = (world: World): readonly (string | undefined)[] => {
  const files = world.machine.files(true);
  return files.below(`${world.folder}/.shotlist/kept`).map((path) => files.read(path));
};
const once = { 'meme:1': 10, 'meme:2': 10 };

async function done(pipeline = memes): Promise<World> {
  const world = new World(pipeline);
  await world.run();
  return world;
}

/** What `--pay-again save:1` does: by the plan, in the run, and in the run after it. */
async function saved(world: World): Promise<readonly (number | string)[]> {
  const payAgain = ['save:1'];
  const planned = await world.plan({ payAgain });
  const told = await world.run({ payAgain });
  const next = await world.run();
  expect(told.charged).toBe(planned.plan.credits);
  expect(Object.values(next.endings)).not.toContain('done');
  return [told.charged, told.endings['meme:1'] ?? '', told.endings['save:1'] ?? ''];
}

test('a creation is bought again, once, its file is replaced and kept, and its first attempt stays on the books', async () => {
  const world = new World(memes, {}, { disk: 'folder' });
  await world.run();
  const [first, made] = [world.read('out/1.png'), world.service.projectOf('meme:1')];
  const payAgain = ['meme:1'];
  expect((await world.plan({ payAgain })).plan.credits).toBe(10);
  const told = await world.run({ payAgain });
  expect([told.outcome, told.charged]).toEqual(['done', 10]);
  expect(world.bill).toEqual({ 'meme:1': 20, 'meme:2': 10 });
  expect((await world.status()).credits.charged).toBe(30);
  expect(world.read('out/1.png')).not.toBe(first);
  expect(keptFiles(world)).toEqual([first]);
  expect(world.state).toContain(made.name);
  const { state } = world;
  expect((await world.run()).charged).toBe(0);
  expect(world.state).toBe(state);
});

test('a run that is interrupted after it has paid again goes on when it is repeated with the flag, and pays for nothing a third time', async () => {
  const world = await done();
  const payAgain = ['meme:1'];
  const stop = new AbortController();
  const cut = await world.run({
    payAgain,
    signal: stop.signal,
    onEvent: ({ type }) => (type === 'charged' ? stop.abort() : undefined),
  });
  expect([cut.outcome, world.bill['meme:1']]).toEqual(['interrupted', 20]);
  expect((await world.plan({ payAgain })).plan.credits).toBe(0);
  expect((await world.run({ payAgain })).outcome).toBe('done');
  expect(world.bill).toEqual({ 'meme:1': 20, 'meme:2': 10 });
  // That run is over.
  await world.run({ payAgain });
  expect(world.bill).toEqual({ 'meme:1': 30, 'meme:2': 10 });
});

test('a download is saved again without paying: from its project, as it was', async () => {
  const world = await done();
  const first = world.read('out/1.png');
  world.write('out/1.png', 'spoilt');
  expect(await saved(world)).toEqual([0, 'reused', 'done']);
  expect(world.read('out/1.png')).toBe(first);
  expect(world.bill).toEqual(once);
});

test('a download whose file is whole is fetched again, while its project is there', async () => {
  const world = await done();
  const fetched = (): number => world.requests.filter((one) => one.startsWith('download')).length;
  const before = fetched();
  expect(await saved(world)).toEqual([0, 'reused', 'done']);
  expect(fetched() - before).toBe(1);
});

test('a download whose file is the only one that is left stays as it is, and costs nothing', async () => {
  const world = await done(memes + tidy);
  expect(await saved(world)).toEqual([0, 'reused', 'reused']);
  expect(world.bill).toEqual(once);
});

test('the other downloads of its project are not saved again', async () => {
  const world = await done(
    `${memes}  second: { uses: download, with: { of: meme, to: "2nd-\${{ item.key }}.png" } }\n`,
  );
  const told = await world.run({ payAgain: ['save:1'] });
  const again = Object.keys(told.endings).filter((task) => told.endings[task] === 'done');
  expect([told.charged, again]).toEqual([0, ['save:1']]);
});

test('an element of a list is bought again by itself', async () => {
  const world = await done(`pipeline: list
items: { values: [a] }
steps:
  img: { uses: ai-image-generator, with: { image_count: 3, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.value }}" } } }
  up:
    for_each: "\${{ steps.img.downloads }}"
    uses: ai-image-upscaler
    with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } }
  save: { uses: download, with: { of: up, to: "\${{ each.index }}.png" } }
`);
  const before = world.bill;
  const element = 'up:1[1]';
  const told = await world.run({ payAgain: [element] });
  const again = Object.keys(told.endings).filter((task) => told.endings[task] === 'done');
  expect(again.sort()).toEqual(['save:1[1]', element]);
  expect(world.bill).toEqual({ ...before, [element]: 2 * (before[element] ?? 0) });
});

test('the creation of a download is paid for if its result is nowhere any more', async () => {
  const world = await done(memes + tidy);
  world.write('out/1.png', 'spoilt');
  expect(await saved(world)).toEqual([10, 'done', 'done']);
  expect(world.bill).toEqual({ 'meme:1': 20, 'meme:2': 10 });
});

test.each(['meme:1', 'meme:2'])(
  'tasks with the same content begin again together, and are paid for once (%s)',
  async (task) => {
    const world = await done(memes.replace('a, b', 'a, a'));
    const told = await world.run({ payAgain: [task] });
    expect([told.charged, told.endings['save:1'], told.endings['save:2']]).toEqual([
      10,
      'done',
      'done',
    ]);
    expect((await world.run()).charged).toBe(0);
    expect(world.bill).toEqual({ 'meme:1': 20 });
  },
);

test('is asked about, however little it costs, and a no buys nothing', async () => {
  const world = await done();
  const asked: unknown[] = [];
  const refused = world.run({
    payAgain: ['meme:1'],
    confirm: async ({ plan, isAgain }) => {
      asked.push([plan.credits, isAgain]);
      return false;
    },
  });
  await expect(refused).rejects.toMatchObject({ problem: { declined: true } });
  expect(asked).toEqual([[10, true]]);
  expect(world.bill).toEqual(once);
});

test('nobody is asked if nothing is paid for again', async () => {
  const world = await done();
  const confirm = async (): Promise<boolean> => false;
  expect((await world.run({ payAgain: true, confirm })).outcome).toBe('done');
  expect((await world.run({ payAgain: ['save:1'], confirm })).charged).toBe(0);
});

test('what is in doubt is settled first', async () => {
  const world = new World(memes);
  world.service.fate = ({ number }) => (number === 1 ? { lost: 'taken' } : {});
  await world.run();
  const { bill } = world;
  await expect(world.run({ payAgain: ['meme:1'] })).rejects.toThrow('in doubt');
  expect(world.bill).toEqual(bill);
});

test('a project that never ends is left, and another one takes its place', async () => {
  const world = new World(memes.replace('ai-meme-generator,', 'ai-meme-generator, timeout: 1ms,'));
  world.service.renderMs = ({ number }) => (number === 1 ? 1e12 : 0);
  await world.run();
  world.service.renderMs = () => 0;
  await world.run({ payAgain: ['meme:1'] });
  expect(world.bill).toMatchObject({ 'meme:1': 20 });
});

test.each([
  ['meme:3', []],
  ['meme:1', ['meme']],
])(
  '%s is refused before anything is sent if this run does not do it (excluded: %j)',
  async (task, exclude) => {
    const world = await done();
    await expect(world.run({ exclude, payAgain: [task] })).rejects.toThrow(task);
    expect(world.bill).toEqual(once);
  },
);

test('with --limit, the item of the task has something to do', async () => {
  const world = await done();
  await world.run({ payAgain: ['meme:2'], items: { limit: 1 } });
  expect(world.bill).toEqual({ 'meme:1': 10, 'meme:2': 20 });
});
