// A paid project that the service does not have any more: it is said in that run, holds up nobody, and is never bought again
// without a word. One look that finds nothing proves nothing, and another account proves nothing for whoever paid.
import { describe, expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const photos = (keys: readonly string[], name = 'photos'): string => `pipeline: ${name}
items: { values: [${keys.map((key) => `{ key: ${key} }`).join(', ')}] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}.png" } }
`;

const five = ['a', 'b', 'c', 'd', 'e'];

/** Projects of these items are paid for, and render. */
async function paid(keys: readonly string[], disk?: 'folder'): Promise<World> {
  const files = Object.fromEntries([...five, 'f'].map((key) => [`${key}.png`, `photo ${key}`]));
  const world = new World(photos(keys), files, { disk });
  world.service.account = { id: 'me', credits: 1_000_000, tier: 'pro' };
  expect((await world.tick()).outcome).toBe('waiting');
  // A minute ago.
  world.clock.jump(61_000);
  return world;
}

const vanish = (world: World): void => {
  for (const made of world.service.projects.values()) made.isDeleted = true;
};

const deletions = (world: World): number => world.state.split('"gone":"').length - 1;

describe('five projects that vanished', () => {
  test('are lost in that run, and a photo that comes with them is bought and saved', async () => {
    const world = await paid(five);
    vanish(world);
    world.edit(photos([...five, 'f']));
    const run = await world.run({ payAgain: true });
    for (const key of five)
      expect(run.ends.get(`colour:${key}`), key).toMatchObject({
        ending: 'failed',
        why: expect.stringContaining('--pay-again'),
      });
    expect([run.endings['save:f'], run.charged, deletions(world)]).toEqual(['done', 10, 5]);
    const asked = world.requests.length;
    expect((await world.run()).charged).toBe(0);
    expect(world.requests.slice(asked).filter((call) => call.startsWith('look'))).toEqual([]);
    const again = await world.run({ payAgain: true });
    expect([again.outcome, again.charged]).toEqual(['done', 50]);
  });

  test('keep no tick from buying either', async () => {
    const world = await paid(five);
    vanish(world);
    world.edit(photos([...five, 'f']));
    world.clock.jump(60_000);
    expect((await world.tick()).charged).toBe(10);
  });

  test('are not called gone by another account, and keep it from nothing', async () => {
    const world = await paid(five);
    world.service.fails = ({ call, about }) =>
      call === 'look' && about !== 'colour:f' && world.service.account?.id === 'other'
        ? { reason: 'not-found', message: 'Not Found' }
        : undefined;
    world.service.account = { id: 'other', credits: 1_000, tier: 'pro' };
    world.edit(photos([...five, 'f']));
    const run = await world.run();
    for (const key of five) expect(run.endings[`colour:${key}`], key).toBe('pending');
    expect([run.charged, deletions(world)]).toEqual([10, 0]);
    world.service.account = { id: 'me', credits: 1_000_000, tier: 'pro' };
    const next = await world.run();
    expect([next.outcome, next.charged, world.outputs.length]).toEqual(['done', 0, 6]);
  });

  test('are not called gone where nobody knows who has paid', async () => {
    const world = await paid(['a']);
    vanish(world);
    world.loseReceipts();
    const run = await world.run();
    expect([run.endings['colour:a'], deletions(world)]).toEqual(['pending', 0]);
  });
});

test('a project that was created a moment ago, and is not found yet, is not called gone', async () => {
  const world = await paid(['a']);
  world.clock.jump(-60_000);
  const until = world.clock.now + 20_000;
  world.service.fails = ({ call }) =>
    call === 'look' && world.clock.now < until
      ? { reason: 'not-found', message: 'Not Found' }
      : undefined;
  expect((await world.run()).endings['colour:a']).toBe('pending');
  world.clock.jump(60_000);
  const run = await world.run();
  expect([run.outcome, run.charged, world.outputs]).toEqual(['done', 0, ['a.png']]);
});

test('a project that is not found for two seconds is waited for', async () => {
  const world = await paid(['a']);
  const until = world.clock.now + 2_000;
  world.service.fails = ({ call }) =>
    call === 'look' && world.clock.now < until
      ? { reason: 'not-found', message: 'Not Found' }
      : undefined;
  const run = await world.run();
  expect([run.outcome, run.charged, world.outputs]).toEqual(['done', 0, ['a.png']]);
});

test('a project that vanished is copied from where another pipeline has saved it', async () => {
  const world = await paid(['a'], 'folder');
  const other = world.checkout('other', photos(['a'], 'others'));
  other.write('a.png', 'photo a');
  expect((await other.run()).outcome).toBe('done');
  vanish(world);
  const run = await world.run();
  expect([run.outcome, run.charged, world.outputs]).toEqual(['done', 0, ['a.png']]);
});

test('a project that was taken over, and that its payer has saved meanwhile, is copied from there', async () => {
  const world = await paid(['a'], 'folder');
  const other = world.checkout('other', photos(['a'], 'others'));
  other.write('a.png', 'photo a');
  await other.tick();
  await world.run();
  const asked = world.requests.length;
  const run = await other.run();
  expect([run.outcome, run.charged, other.outputs]).toEqual(['done', 0, ['a.png']]);
  expect(world.requests.slice(asked).filter((call) => /^(look|download)/.test(call))).toEqual([]);
});

test('a pipeline that has taken a project over, and does not find it, costs the payer nothing', async () => {
  const world = await paid(['a']);
  const other = world.checkout('other', photos(['a'], 'others'));
  other.write('a.png', 'photo a');
  world.service.fails = ({ call }) =>
    call === 'look' ? { reason: 'not-found', message: 'Not Found' } : undefined;
  expect((await other.run()).charged).toBe(0);
  world.service.fails = () => undefined;
  const run = await world.run();
  expect([run.outcome, run.charged, world.outputs]).toEqual(['done', 0, ['a.png']]);
});

test('a discarded project whose delete was answered as the run was killed is not lost', async () => {
  const clear = '  clear: { uses: delete, with: { of: colour, discard: true } }';
  const text = photos(['a']).replace(/ {2}save: .*/, clear);
  const world = new World(text, { 'a.png': 'photo a' });
  world.service.account = { id: 'me', credits: 1_000_000, tier: 'pro' };
  const plain = new World(text, { 'a.png': 'photo a' });
  await plain.run();
  const deletes = plain.requests.indexOf('delete colour:a') + 1;
  await world.run({ cut: { request: deletes, when: 'after' } });
  expect([world.requests.at(-1), world.service.projects.size]).toEqual(['delete colour:a', 1]);
  const run = await world.run();
  expect([run.outcome, run.charged, run.endings['clear:a']]).toEqual(['done', 0, 'done']);
});

test('a pipeline that has taken a project over does not discard what the payer has not saved', async () => {
  const world = await paid(['a']);
  const clear = '  clear: { uses: delete, with: { of: colour, discard: true } }';
  const text = photos(['a'], 'others').replace(/ {2}save: .*/, clear);
  const other = world.checkout('other', text);
  other.write('a.png', 'photo a');
  const told = await other.run();
  expect([told.outcome, told.endings['clear:a']]).toEqual(['done', 'skipped']);
  const run = await world.run();
  expect([run.outcome, run.charged, world.outputs]).toEqual(['done', 0, ['a.png']]);
});

test('with --pay-again, what the run has bought and then finds gone is not bought once more', async () => {
  const world = new World(photos(['a']), { 'a.png': 'photo a' });
  world.service.fate = ({ number }) => ({ gone: true, ms: number < 4 ? 120_000 : 100 });
  const run = await world.run({ payAgain: true });
  expect([run.outcome, run.charged]).toEqual(['failed', 10]);
});

test('a project whose payer has saved and deleted it is not asked for: its file is copied', async () => {
  const paint = (name: string, more = ''): string => `pipeline: ${name}
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: a } } }
  save: { uses: download, with: { of: paint, to: a.png } }
${more}`;
  const world = new World(paint('one'), {}, { disk: 'folder' });
  await world.run();
  const two = world.checkout('two', paint('two'));
  await two.run();
  world.edit(paint('one', '  tidy: { uses: delete, with: { of: paint } }\n'));
  await world.run();
  two.remove('out/two/a.png');
  const asked = world.requests.length;
  expect(await two.run()).toMatchObject({ outcome: 'done', charged: 0 });
  expect(two.outputs).toEqual(['a.png']);
  expect(world.requests.slice(asked).filter((one) => one.startsWith('look'))).toEqual([]);
});
