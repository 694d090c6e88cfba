// Payments that the state file does not know, and receipts do: they are used, named with who made them, and paid again by nobody
// but another account, or a person who says so.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type PlanOptions, report, resolve } from '../../src/index.ts';
import { Lock } from '../../src/state/lock.ts';
import { World } from '../kit/world.ts';
import { dataIn } from '../reported.ts';

const memes = (keys = 'one two three four', more = '', name = 'memes'): string => `pipeline: ${name}
items: { values: [${keys.replace(/\w+/g, '{ key: $& },')}] }
${more}output: out
steps:
  picture: { uses: ai-meme-generator, with: { style: { template: Random, topic: "\${{ item.key }}" } } }
  save: { uses: download, with: { of: picture, to: "\${{ item.key }}.png" } }
`;
const tidy = '  tidy: { uses: delete, with: { of: picture } }\n';
const explained: PlanOptions = { explain: 'picture:one' };

/** Projects are only found by the account that made them. Returns what changes the account. */
function accounts(world: World): (id: string) => { readonly env: Record<string, string> } {
  const owners = new Map<string, string>();
  let now = 'me';
  const note = (): void => {
    for (const id of world.service.projects.keys()) if (!owners.has(id)) owners.set(id, now);
  };
  world.service.fails = ({ project }) =>
    project !== undefined && (owners.get(project) ?? now) !== now
      ? { reason: 'not-found', message: 'Not Found' }
      : undefined;
  return (id) => {
    note();
    now = id;
    world.service.account = { id, credits: 1000, tier: 'business' };
    return { env: { SHOTLIST_API_KEY: `key-of-${id}` } };
  };
}

/** Four results of one account; the state file and the files are gone. */
async function forgotten(pipeline = memes()): Promise<World> {
  const world = new World(pipeline, {}, { disk: 'folder' });
  await world.run();
  forget(world);
  return world;
}

function forget(world: World): void {
  world.state = '';
  for (const name of world.outputs) world.remove(`out/${name}`);
}

const deleteAll = (world: World): void => {
  for (const made of world.service.projects.values()) made.isDeleted = true;
};

test('plan, run, --explain and report name who has paid for what the state file does not know', async () => {
  const world = new World(memes(), {}, { disk: 'folder' });
  const shop = world.checkout('shop', memes('one two', '', 'shop'));
  await shop.run();
  await world.run({ items: { only: 'three' } });
  world.state = '';
  const times = { first: expect.any(String), last: expect.any(String) };
  const sources = [
    {
      by: 'pipeline',
      name: expect.stringMatching(/shop\/pipeline\.yaml$/),
      creations: 2,
      ...times,
    },
  ];
  const { plan, explanation } = await world.plan(explained);
  expect(plan.credits).toBe(10);
  expect(plan.paidAlready).toMatchObject({ creations: 2, credits: 20, sources });
  const paid = { by: 'pipeline', credits: 10, follows: 'adopted', project: 'p1' };
  expect(explanation?.paid).toMatchObject(paid);

  const { events, charged, outcome } = await world.run();
  expect([charged, outcome]).toEqual([10, 'done']);
  const told = events.flatMap((event) => (event.type === 'planned' ? [event.plan] : []));
  expect(told[0]?.paidAlready).toMatchObject({ creations: 2, credits: 20, sources });
  // From now on the state file knows, and --explain still says whose money it was.
  const after = await world.plan(explained);
  expect(after.plan.paidAlready).toBeUndefined();
  expect(after.explanation?.paid).toMatchObject(paid);

  // What a result cost is one thing, and what this state file was charged another.
  const out = `${world.folder}/report.html`;
  await world.do((loaded, own) => report(loaded, { ...own, out }));
  const shown = dataIn(world.read('report.html') ?? '');
  expect(shown.items.map(({ credits }) => credits)).toEqual([10, 10, 10, 10]);
  expect(shown.credits).toMatchObject({ charged: 20 });
  expect(shown.spending.reduce((sum, one) => sum + one.credits, 0)).toBe(20);
  expect(shown.steps.map(({ credits }) => credits)).toEqual([20, 0]);
});

test('an adopted result takes nothing of the caps of an item, of a run and of a day; what was paid before the state file was lost does', async () => {
  const pictures = (names: readonly string[], more = ''): string =>
    [
      `pipeline: memes\nitems: { values: [{ key: a }, { key: b }] }\n${more}output: out\nsteps:`,
      ...names.flatMap((name) => [
        `  ${name}: { uses: ai-meme-generator, with: { style: { template: Random, topic: "${name} \${{ item.key }}" } } }`,
        `  save-${name}: { uses: download, with: { of: ${name}, to: "${name}-\${{ item.key }}.png" } }`,
      ]),
    ].join('\n');
  const payer = new World(pictures(['one']));
  await payer.run();
  const budget = 'budget: { credits: 20, per_item: 10, per_day: 20 }\n';
  const world = payer.checkout('two', pictures(['one', 'two'], budget));
  expect(await world.run()).toMatchObject({ outcome: 'done', charged: 20 });
  expect(payer.service.charged).toBe(40);
  // What this state file paid for itself comes back as its own, and counts.
  payer.edit(pictures(['one', 'three'], budget));
  payer.state = '';
  expect(await payer.run()).toMatchObject({ outcome: 'budget', charged: 0 });
});

test('what another pipeline pays for while the intent is written is used, and not sent', async () => {
  const world = new World(memes('one'));
  const shop = world.checkout('shop', memes('one', '', 'shop'));
  world.syncMs = (lines) => (lines.some((line) => line.includes('"intended"')) ? 10_000 : 1);
  const [run] = await Promise.all([world.run(), shop.run()]);
  expect([run.endings, world.outputs]).toEqual([
    { 'picture:one': 'done', 'save:one': 'done' },
    ['one.png'],
  ]);
  expect(world.bill).toEqual({ 'picture:one': 10 });
});

test('a person agrees to what is new alone, although the state file was lost', async () => {
  const world = await forgotten();
  world.edit(memes('five two three four'));
  const asked: unknown[] = [];
  const { outcome } = await world.run({
    confirmAbove: 0,
    confirm: async ({ plan }) => {
      asked.push(plan.credits);
      return true;
    },
  });
  expect(asked).toEqual([10]);
  expect([outcome, world.service.charged, world.outputs.length]).toEqual(['done', 50, 4]);
});

test('a doubt stays one, which the next run records and no run buys', async () => {
  const world = new World(memes(), {}, { disk: 'folder' });
  world.service.fate = ({ task }) => (task === 'picture:one' ? { lost: 'taken' } : undefined);
  await world.run();
  world.state = '';
  expect((await world.plan()).plan.credits).toBe(0);
  expect(await world.run()).toMatchObject({ outcome: 'doubt', charged: 0 });
  expect(await world.status()).toMatchObject({
    ...{ credits: { charged: 30, reserved: 10 }, doubts: [{ tasks: ['picture:one'] }] },
  });
  expect((await world.plan()).hasWork).toBe(false);
});

test('a run waits for one that sends the same request, says so, and not for ever', async () => {
  const world = new World(memes('one'));
  await world.run({ cut: { request: 2, when: 'before' } });
  // The process lives on, and its request is never answered.
  const file = join(world.folder, '.shotlist/memes.state.jsonl.lock');
  const lock = await Lock.take(file, { elapsed: () => 0, sleep: async () => undefined });
  const shop = world.checkout('shop', memes('one two', '', 'shop'));
  const told = await shop.run();
  expect([told.outcome, told.charged, told.endings]).toMatchObject([
    ...['doubt', 10],
    { 'picture:one': 'doubt', 'picture:two': 'done' },
  ]);
  const said = told.events.filter(
    (event) => event.type === 'note' && event.message.includes(`${world.folder}/pipeline.yaml`),
  );
  expect(said).toHaveLength(1);
  await lock?.release();
  // Whoever goes on after it settles it for both.
  await world.run();
  expect((await world.status()).doubts).toHaveLength(1);
  await world.do((loaded, own) => resolve(loaded, 'picture:one', { how: 'not-charged' }, own));
  expect(await shop.run()).toMatchObject({ outcome: 'done', charged: 10 });
  expect(await world.run()).toMatchObject({ outcome: 'done', charged: 0 });
});

test('what a lost state file has paid for is its own, whoever goes on with it', async () => {
  const world = await forgotten();
  const bo = accounts(world)('bo');
  expect((await world.plan(bo)).plan.credits).toBe(0);
  // What it cannot see is lost, and bought again only if a person says so.
  expect(await world.run(bo)).toMatchObject({ outcome: 'failed', charged: 0 });
  expect((await world.status()).credits.charged).toBe(40);
});

test('what was deleted elsewhere is paid for only with --pay-again, once it is old enough to be given up', async () => {
  const world = await forgotten();
  const become = accounts(world);
  // A receipt of another account is newer, and changes nothing.
  await world.run(become('bo'));
  forget(world);
  deleteAll(world);
  const own = become('me');
  const lost = await world.run(own);
  expect([lost.outcome, lost.charged]).toEqual(['failed', 0]);
  expect((await world.plan(own)).plan.credits).toBe(0);
  world.clock.pass(24 * 60 * 60_000);
  expect(await world.run(own)).toMatchObject({ outcome: 'failed', charged: 0 });
  expect(await world.run({ ...own, payAgain: true })).toMatchObject({ charged: 40 });
});

test('what is lost does not count as paid', async () => {
  const world = await forgotten(memes() + tidy);
  const { plan } = await world.plan();
  expect(plan.paidAlready).toBeUndefined();
  expect(plan.rows[1]?.tasks).toEqual({ lost: 4 });
});

test.each<[string, string, (state: string) => string]>([
  [
    'has lost its results',
    memes() + tidy,
    (state) => state.replace(/,"(result|outputs)":.*/g, '}'),
  ],
  [
    'no longer says what a project is',
    memes(),
    (state) => state.replaceAll('"kind":"ai-meme-generator"', '"kind":"unknown"'),
  ],
])('a repaired state file that %s costs nothing', async (_, pipeline, change) => {
  const world = new World(pipeline, {}, { disk: 'folder' });
  await world.run();
  const changed = change(world.state);
  expect(changed).not.toBe(world.state);
  world.state = changed;
  expect(await world.run()).toMatchObject({ outcome: 'done', charged: 0 });
  expect(world.outputs).toHaveLength(4);
});

test.each([
  ['the same key', 'key', 'done'],
  ['another key, which may be of another account', 'another', 'failed'],
])('a deployment that tells no account, with %s, is paid nothing', async (_, key, outcome) => {
  const world = new World(memes(), {}, { disk: 'folder' });
  world.service.account = undefined;
  await world.run();
  forget(world);
  if (key === 'another')
    world.service.fails = ({ call, project }) =>
      call === 'look' && project !== undefined
        ? { reason: 'not-found', message: 'Not Found' }
        : undefined;
  const told = await world.run({ env: { SHOTLIST_API_KEY: key } });
  expect([told.outcome, told.charged]).toEqual([outcome, 0]);
});
